// Compares stderr with the named file by device and inode, so that nothing else is ever renamed.
#include "tools/steno/serve/log_rotation.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace steno {

void LogRotation::do_work(base::Duration now) {
  if (now < look_at_) return;
  look_at_ = now + kLookEvery;
  struct stat own {};
  struct stat named {};
  if (::fstat(STDERR_FILENO, &own) != 0 || ::stat(path_.c_str(), &named) != 0) return;
  const bool is_it = own.st_ino == named.st_ino && own.st_dev == named.st_dev;
  if (!is_it || own.st_size < kBytesMax) return;
  const std::string before = path_ + ".1";
  if (std::rename(path_.c_str(), before.c_str()) != 0) return;
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) {
    // Logging goes on under the old name, and the next look tries again.
    static_cast<void>(std::rename(before.c_str(), path_.c_str()));
    return;
  }
  ::dup2(fd, STDOUT_FILENO);
  ::dup2(fd, STDERR_FILENO);
  ::close(fd);
}

}  // namespace steno
