// Makes the folders one by one; only mkdir tells for certain that this process made the last one.
#include "eventlog/base/own_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace base {
namespace {

tl::unexpected<Error> failed(const char* what, const std::string& path) {
  return failure(ErrorCode::io, std::string(what) + ": " + std::strerror(errno), path);
}

std::string octal(mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
  return text.data();
}

Result<void> check_own(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return failed("cannot look at the folder", path);
  if (!S_ISDIR(status.st_mode)) return failure(ErrorCode::invalid, "this is not a folder", path);
  if (status.st_uid != ::geteuid()) {
    return failure(ErrorCode::refused,
                   "the folder belongs to user " + std::to_string(status.st_uid) +
                       ", and this is user " + std::to_string(::geteuid()) +
                       "; give a folder of your own, or one that is not there yet",
                   path);
  }
  if ((status.st_mode & 077) == 0) return {};
  return failure(ErrorCode::refused,
                 "the folder is open to other users (mode " + octal(status.st_mode) +
                     "); give one that is not there yet, or chmod 700 this one if nobody else "
                     "needs it",
                 path);
}

}  // namespace

Result<void> make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    if (::mkdir(path.substr(0, slash).c_str(), 0700) != 0 && errno != EEXIST) {
      return failed("cannot make the folder", path);
    }
    if (slash == std::string::npos) return {};
  }
}

Result<void> make_own_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) {
    if (auto ok = make_folders(path.substr(0, slash)); !ok) return ok;
  }
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  return errno == EEXIST ? check_own(path) : failed("cannot make the folder", path);
}

}  // namespace base
