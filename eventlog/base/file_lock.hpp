// An exclusive lock on a file: one server a data folder, one server a socket, one worker a machine,
// one keeper a session. An open-file-description lock (fcntl(2), F_OFD_SETLK), because it can be
// asked about without being taken, also excludes a second holder in the same process, and is
// released by the kernel however its holder ends.
//
// The file names its holder for whoever comes second, and is never deleted: the name of a deleted
// file could be locked a second time while the first holder still lives.
#pragma once

#include <string>
#include <utility>

#include "eventlog/base/result.hpp"

namespace base {

// Held until destruction. Children do not inherit it, but a fork without exec would.
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

// True while anybody holds the lock. A missing file is not locked. The answer is old at once: only
// take() decides.
Result<bool> is_locked(const std::string& path);

// Pid of the process that took the lock last, as the file names it; 0: none is named.
int lock_holder(const std::string& path);

}  // namespace base
