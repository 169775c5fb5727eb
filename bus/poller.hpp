// Waits until a socket of the bus or a file descriptor is ready, or a time has passed.
#pragma once

#include <span>

#include "bus/ports.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/base/time.hpp"

namespace bus {

// One thing to wait for: a socket (not null) or else a file descriptor (pipe, pidfd, eventfd).
struct PollItem {
  const Pollable* socket = nullptr;
  int fd = -1;
  bool wants_read = true;
  bool wants_write = false;
  // The answer. is_readable is also true where reading would show an end or an error.
  bool is_readable = false;
  bool is_writable = false;

  static PollItem of(const Pollable& socket) {
    PollItem item;
    item.socket = &socket;
    return item;
  }
  static PollItem of(int fd) {
    PollItem item;
    item.fd = fd;
    return item;
  }
};

// Fills in the answers and returns how many items are ready; 0: the time has passed, or a signal
// came. `timeout` is rounded up to milliseconds; 0 or less does not wait. Sockets in memory are
// never ready. Call it on the sockets' thread, and anew after each use of them. Error: io.
base::Result<int> poll(std::span<PollItem> items, base::Duration timeout);

}  // namespace bus
