#include "bus/lock_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace bus {

base::Result<LockFile> LockFile::acquire(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return base::failure(base::ErrorCode::io,
                         std::string("cannot open lock file: ") + std::strerror(errno), path);
  }
  LockFile lock(fd);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(fd, F_OFD_SETLK, &whole) == 0) return lock;
  if (errno == EAGAIN || errno == EACCES) {
    return base::failure(base::ErrorCode::in_use, "another server has this endpoint", path);
  }
  return base::failure(base::ErrorCode::io,
                       std::string("cannot lock file: ") + std::strerror(errno), path);
}

LockFile& LockFile::operator=(LockFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

LockFile::~LockFile() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace bus
