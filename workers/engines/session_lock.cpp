#include "workers/engines/session_lock.hpp"

#include <fcntl.h>

#include "workers/engines/system_failure.hpp"

namespace engines {
namespace {

struct flock whole_file_exclusively() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Result<FileLock> FileLock::take(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.is_open()) return system_failure(errno, "cannot open the lock file", path);
  struct flock lock = whole_file_exclusively();
  if (::fcntl(fd.get(), F_OFD_SETLK, &lock) == 0) return FileLock(std::move(fd));
  if (errno == EAGAIN || errno == EACCES) {
    return base::failure(base::ErrorCode::in_use, "locked by another process", path);
  }
  return system_failure(errno, "cannot lock", path);
}

Result<bool> is_locked(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return system_failure(errno, "cannot open the lock file", path);
  }
  struct flock lock = whole_file_exclusively();
  if (::fcntl(fd.get(), F_OFD_GETLK, &lock) != 0) {
    return system_failure(errno, "cannot ask for the lock", path);
  }
  return lock.l_type != F_UNLCK;
}

}  // namespace engines
