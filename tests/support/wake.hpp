// Waits for a wake-up of another thread, with a deadline, as the loops of Steno do.
#pragma once

#include <poll.h>

#include <chrono>

namespace support {

constexpr std::chrono::milliseconds kWakeMax = std::chrono::seconds(30);

// True if the descriptor became readable in time. A lost wake-up gives false.
inline bool wakes(int fd, std::chrono::milliseconds limit = kWakeMax) {
  pollfd item{fd, POLLIN, 0};
  return ::poll(&item, 1, static_cast<int>(limit.count())) == 1;
}

inline bool is_readable(int fd) {
  return wakes(fd, std::chrono::milliseconds(0));
}

}  // namespace support
