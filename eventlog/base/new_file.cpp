// renameat2 can leave a file alone that is there; where a file system cannot do that, a link does.
#include "eventlog/base/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace base {
namespace {

constexpr std::size_t kComparedBytes = std::size_t{64} << 10;

std::string fresh_path(const std::string& path) {
  return path + ".new";
}

tl::unexpected<Error> failed(const std::string& path) {
  const int why = errno;
  return failure(why == EEXIST ? ErrorCode::conflict : ErrorCode::io,
                 why == EEXIST ? "it exists, and is left as it is" : std::strerror(why), path);
}

bool is_there(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0;
}

bool are_same(const std::string& a, const std::string& b) {
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  if (!first || !second) return false;
  std::string from_first(kComparedBytes, '\0');
  std::string from_second(kComparedBytes, '\0');
  while (first && second) {
    first.read(from_first.data(), static_cast<std::streamsize>(kComparedBytes));
    second.read(from_second.data(), static_cast<std::streamsize>(kComparedBytes));
    const auto count = static_cast<std::size_t>(first.gcount());
    if (first.gcount() != second.gcount()) return false;
    if (std::memcmp(from_first.data(), from_second.data(), count) != 0) return false;
  }
  return !first.bad() && !second.bad();
}

int rename_to_free(const std::string& from, const std::string& to) {
  const int renamed = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
  if (renamed == 0 || errno != EINVAL) return renamed;
  if (::link(from.c_str(), to.c_str()) != 0) return -1;
  return ::unlink(from.c_str());
}

}  // namespace

NewFile::NewFile(std::string path, OldFile old, UniqueFd file)
    : path_(std::move(path)), old_(old), file_(std::move(file)) {}

NewFile::~NewFile() {
  if (file_.is_open()) ::unlink(fresh_path(path_).c_str());
}

Result<NewFile> NewFile::open(const std::string& path, OldFile old) {
  const bool is_kept = old == OldFile::kept;
  errno = EEXIST;
  if (is_kept && is_there(path)) return failed(path);
  const std::string fresh = fresh_path(path);
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (is_kept ? O_EXCL : O_TRUNC);
  UniqueFd file(::open(fresh.c_str(), flags, 0600));
  if (!file.is_open()) return failed(fresh);
  return NewFile(path, old, std::move(file));
}

Result<void> NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed(fresh_path(path_));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> NewFile::set_mode(unsigned mode) {
  if (::fchmod(file_.get(), mode) != 0) return failed(fresh_path(path_));
  return {};
}

Result<bool> NewFile::finish() {
  const std::string fresh = fresh_path(path_);
  const bool is_replaced = old_ == OldFile::replaced;
  if (is_replaced && are_same(fresh, path_)) return false;
  if (::fsync(file_.get()) != 0) return failed(fresh);
  const int renamed =
      is_replaced ? ::rename(fresh.c_str(), path_.c_str()) : rename_to_free(fresh, path_);
  if (renamed != 0) return failed(path_);
  file_.reset();
  return true;
}

}  // namespace base
