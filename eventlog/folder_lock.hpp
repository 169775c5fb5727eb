// The lock that makes one process the owner of a data folder. The kernel frees it with the process
// at the latest; the file names its holder, for whoever comes second.
#pragma once

#include <string>
#include <utility>

#include "eventlog/base/result.hpp"

namespace eventlog {

// An open-file-description lock (fcntl(2), F_OFD_SETLK): it also excludes a second holder in the
// same process.
class FolderLock {
 public:
  // Makes the file (0600) if need be; it stays when the lock is freed. Errors: in_use, naming the
  // holder and what to do; refused when the file may not be written; io.
  static base::Result<FolderLock> acquire(const std::string& path);

  // Does somebody hold it at this moment? Takes and writes nothing. No file: nobody does.
  static base::Result<bool> is_held(const std::string& path);

  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace eventlog
