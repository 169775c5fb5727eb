// The memory that the process has from operator new, which memory.cpp replaces with counting ones.
// Used by one thread.
#pragma once

#include <cstddef>

namespace fuzz {

// Restarts the peak at the bytes in use now, and returns them.
std::size_t begin_peak();
// Returns the most bytes in use at once since begin_peak().
std::size_t peak_bytes();

}  // namespace fuzz
