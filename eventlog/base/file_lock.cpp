// The file is opened without following links and never truncated before the lock is held, so that a
// loser cannot wipe the holder's name.
#include "eventlog/base/file_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace base {
namespace {

constexpr std::size_t kHolderBytesMax = 32;
// How often a file can be deleted between its opening and its locking, each time by a holder.
constexpr int kTriesMax = 100;

bool is_named(int fd, const std::string& path) {
  struct stat own {};
  struct stat named {};
  return ::fstat(fd, &own) == 0 && ::stat(path.c_str(), &named) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

struct flock whole_file() {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return whole;
}

tl::unexpected<Error> errno_failure(const char* what, const std::string& path) {
  ErrorCode code = ErrorCode::io;
  if (errno == ENOENT || errno == ENOTDIR) code = ErrorCode::not_found;
  if (errno == EACCES || errno == EPERM || errno == EROFS) code = ErrorCode::refused;
  return failure(code, std::string(what) + ": " + std::strerror(errno), path);
}

int holder_of(int fd) {
  char text[kHolderBytesMax] = {};
  const ssize_t got = ::pread(fd, text, sizeof text - 1, 0);
  int pid = 0;
  for (ssize_t i = 0; i < got && text[i] >= '0' && text[i] <= '9' && pid < 100'000'000; ++i) {
    pid = pid * 10 + (text[i] - '0');
  }
  return pid;
}

}  // namespace

Result<FileLock> FileLock::take(const std::string& path) {
  for (int tries = 0; tries < kTriesMax; ++tries) {
    FileLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (lock.fd_ < 0) return errno_failure("cannot open the lock file", path);
    struct flock whole = whole_file();
    if (::fcntl(lock.fd_, F_OFD_SETLK, &whole) != 0) {
      if (errno != EAGAIN && errno != EACCES) return errno_failure("cannot lock the file", path);
      const int pid = holder_of(lock.fd_);
      return failure(ErrorCode::in_use,
                     (pid > 0 ? "process " + std::to_string(pid) : "another process") + " holds it",
                     path);
    }
    if (!is_named(lock.fd_, path)) continue;
    const std::string name = std::to_string(::getpid()) + '\n';
    if (::ftruncate(lock.fd_, 0) != 0 ||
        ::pwrite(lock.fd_, name.data(), name.size(), 0) != static_cast<ssize_t>(name.size())) {
      return errno_failure("cannot write the lock file", path);
    }
    return lock;
  }
  return failure(ErrorCode::io, "the lock file is deleted again and again", path);
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

Result<bool> is_locked(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return errno_failure("cannot open the lock file", path);
  }
  struct flock whole = whole_file();
  const bool is_asked = ::fcntl(fd, F_OFD_GETLK, &whole) == 0;
  const int error = errno;
  ::close(fd);
  errno = error;
  if (!is_asked) return errno_failure("cannot ask for the lock", path);
  return whole.l_type != F_UNLCK;
}

int lock_holder(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return 0;
  const int pid = holder_of(fd);
  ::close(fd);
  return pid;
}

}  // namespace base
