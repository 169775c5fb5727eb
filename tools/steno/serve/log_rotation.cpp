// Compares stderr with the named file by device and inode, so that nothing else is ever renamed.
#include "tools/steno/serve/log_rotation.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace steno {
namespace {

int open_log(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void log_to(int fd) {
  if (fd < 0) return;
  ::dup2(fd, STDOUT_FILENO);
  ::dup2(fd, STDERR_FILENO);
  ::close(fd);
}

}  // namespace

void LogRotation::do_work(base::Duration now) {
  if (now < look_at_) return;
  look_at_ = now + kLookEvery;
  struct stat own {};
  struct stat named {};
  if (::fstat(STDERR_FILENO, &own) != 0) return;
  if (::stat(path_.c_str(), &named) != 0) {
    // It was removed, perhaps with its folder, and what is logged since is nowhere.
    if (errno == ENOENT && S_ISREG(own.st_mode) && own.st_nlink == 0) log_to(open_log(path_));
    return;
  }
  const bool is_it = own.st_ino == named.st_ino && own.st_dev == named.st_dev;
  if (!is_it || own.st_size < kBytesMax) return;
  const std::string before = path_ + ".1";
  if (std::rename(path_.c_str(), before.c_str()) != 0) return;
  const int fd = open_log(path_);
  if (fd < 0) {
    // Logging goes on under the old name, and the next look tries again.
    static_cast<void>(std::rename(before.c_str(), path_.c_str()));
    return;
  }
  log_to(fd);
}

void empty_large_log(const std::string& path) {
  struct stat named {};
  if (::stat(path.c_str(), &named) != 0 || named.st_size < 2 * LogRotation::kBytesMax) return;
  std::error_code error;
  constexpr auto kReplace = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy_file(path, path + ".1", kReplace, error);
  static_cast<void>(::truncate(path.c_str(), 0));
}

void rotate_before_start(const std::string& path) {
  struct stat named {};
  if (::stat(path.c_str(), &named) != 0 || named.st_size < LogRotation::kBytesMax) return;
  static_cast<void>(std::rename(path.c_str(), (path + ".1").c_str()));
}

}  // namespace steno
