// The form of a log on disk.
#pragma once

#include <cstdint>

namespace base {

// Grows with each change that releases before it cannot read.
inline constexpr std::uint16_t kLogFormat = 1;

}  // namespace base
