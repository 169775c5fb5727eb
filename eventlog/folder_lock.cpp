#include "eventlog/folder_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace eventlog {
namespace {

using base::ErrorCode;

constexpr std::size_t kHolderBytesMax = 32;

struct flock whole_file(short type) {
  struct flock whole {};
  whole.l_type = type;
  whole.l_whence = SEEK_SET;
  return whole;
}

base::Error errno_error(const char* what, const std::string& path) {
  const ErrorCode code =
      errno == EACCES || errno == EPERM || errno == EROFS ? ErrorCode::refused : ErrorCode::io;
  return {code, std::string(what) + ": " + std::strerror(errno), path};
}

// "process 1234", or "another process" while the holder has not yet written its name.
std::string holder(int fd) {
  char text[kHolderBytesMax] = {};
  const ssize_t got = ::pread(fd, text, sizeof text, 0);
  std::string pid(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  pid.erase(pid.find_last_not_of('\n') + 1);
  const bool is_number = !pid.empty() && pid.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "process " + pid : "another process";
}

}  // namespace

base::Result<FolderLock> FolderLock::acquire(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return tl::unexpected(errno_error("cannot open the lock file", path));
  FolderLock lock(fd);
  struct flock whole = whole_file(F_WRLCK);
  if (::fcntl(fd, F_OFD_SETLK, &whole) != 0) {
    if (errno != EAGAIN && errno != EACCES) {
      return tl::unexpected(errno_error("cannot lock the file", path));
    }
    return base::failure(ErrorCode::in_use,
                         holder(fd) +
                             " has this data folder open; stop it first, give another "
                             "folder, or read beside it with steno replay",
                         path);
  }
  const std::string name = std::to_string(::getpid()) + '\n';
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, name.data(), name.size(), 0) != static_cast<ssize_t>(name.size())) {
    return tl::unexpected(errno_error("cannot write the lock file", path));
  }
  return lock;
}

base::Result<bool> FolderLock::is_held(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) {
    if (errno == ENOENT) return false;
    return tl::unexpected(errno_error("cannot open the lock file", path));
  }
  const FolderLock closes(fd);
  struct flock whole = whole_file(F_RDLCK);
  if (::fcntl(fd, F_OFD_GETLK, &whole) != 0) {
    return tl::unexpected(errno_error("cannot ask for the lock", path));
  }
  return whole.l_type != F_UNLCK;
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace eventlog
