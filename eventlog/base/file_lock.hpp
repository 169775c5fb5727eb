// An exclusive lock on a file: one server for each data folder, one server for each socket, one
// worker for each machine, one keeper for each session. It is an open-file-description lock
// (fcntl(2), F_OFD_SETLK). It can be queried without being taken, also excludes a second holder in
// the same process, and is released by the kernel however its holder ends.
//
// The file names its holder, for the process that comes second. Only a holder may delete it: take()
// looks at the name again once it has the lock, and never returns the lock of a file without one.
#pragma once

#include <string>
#include <utility>

#include "eventlog/base/result.hpp"

namespace base {

// Held until destruction. Children do not inherit it across exec, but a fork without exec keeps it.
class FileLock {
 public:
  // Creates the file (0600) when it is missing. Never waits. Errors: in_use, "process 1234 holds
  // it"; not_found when the folder is missing; refused without rights; io.
  static Result<FileLock> take(const std::string& path);

  FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_;
};

// True while any process holds the lock. A missing file is not locked. The answer can be outdated
// at once: only take() decides.
Result<bool> is_locked(const std::string& path);

// Returns the pid of the process that last took the lock, as the file names it; 0 if it names none.
int lock_holder(const std::string& path);

}  // namespace base
