// How much memory the process has from operator new, which memory.cpp replaces so that it counts.
// Used by one thread.
#pragma once

#include <cstddef>

namespace fuzz {

// Bytes in use now; the peak begins anew there.
std::size_t begin_peak();
// The most bytes that were in use at once since.
std::size_t peak_bytes();

}  // namespace fuzz
