// A process that a test expects to end, behind a handle that can never mean another process.
#pragma once

#include <poll.h>
#include <signal.h>

#include <chrono>
#include <optional>

#include "eventlog/base/unique_fd.hpp"
#include "workers/processes/pidfd.hpp"

namespace support {

class WatchedProcess {
 public:
  explicit WatchedProcess(std::int64_t pid) : handle_(::pidfd_open(static_cast<pid_t>(pid), 0)) {}

  // False also if it never existed.
  bool is_running() const { return handle_.is_open() && !ends_within(std::chrono::seconds{0}); }
  void send(int number) const { ::pidfd_send_signal(handle_.get(), number, nullptr, 0); }
  // Waits for its end. Time counts from the call.
  bool ends_within(std::chrono::milliseconds time) const {
    pollfd fd{handle_.get(), POLLIN, 0};
    return handle_.is_open() && ::poll(&fd, 1, static_cast<int>(time.count())) == 1;
  }

 private:
  base::UniqueFd handle_;
};

}  // namespace support
