// A lock on a file, held by this object and freed by the kernel with the process at the latest.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"

namespace bus {

// An open-file-description lock (fcntl(2), F_OFD_SETLK): unlike a POSIX lock it also excludes
// other holders in the same process, and closing another descriptor of the file does not free it.
class LockFile {
 public:
  // Makes the file (0600) if need be; it stays when the lock is freed, because removing it would
  // let two processes lock two files of one name. in_use: somebody else holds it.
  static base::Result<LockFile> acquire(const std::string& path);

  LockFile(LockFile&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  LockFile& operator=(LockFile&& other) noexcept;
  ~LockFile();

 private:
  explicit LockFile(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace bus
