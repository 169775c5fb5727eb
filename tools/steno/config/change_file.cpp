// A lock file beside the file keeps two processes apart, each of which would undo the other's
// change. It is gone once the change is made.
#include "tools/steno/config/change_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/new_file.hpp"
#include "eventlog/base/own_folder.hpp"

namespace steno {

using base::ErrorCode;
using base::Result;

Result<std::string> bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in && errno == ENOENT) return std::string();
  std::stringstream bytes;
  if (in) bytes << in.rdbuf();
  if (in && !in.bad()) return bytes.str();
  return base::failure(ErrorCode::io, std::string("cannot be read: ") + std::strerror(errno), path);
}

Result<bool> change_file(const std::string& path,
                         const std::function<Result<std::string>(const std::string&)>& change) {
  std::error_code ignored;
  const std::string real = std::filesystem::weakly_canonical(path, ignored).string();
  const std::filesystem::path folder = std::filesystem::path(real).parent_path();
  if (auto ok = base::make_folders(folder.string()); !ok) return tl::unexpected(ok.error());
  const std::string lock_path = real + ".lock";
  auto lock = base::FileLock::take(lock_path);
  if (!lock && lock.error().code == ErrorCode::in_use) {
    return base::failure(ErrorCode::busy, "another process is changing it; try again", real);
  }
  if (!lock) return tl::unexpected(lock.error());
  auto changed = [&]() -> Result<bool> {
    auto before = bytes_of_file(real);
    if (!before) return tl::unexpected(before.error());
    const auto after = change(*before);
    if (!after) return tl::unexpected(after.error());
    struct stat facts {};
    const bool is_there = ::stat(real.c_str(), &facts) == 0;
    if (is_there && *after == *before) return false;
    auto file = base::NewFile::open(real, base::OldFile::replaced);
    if (!file) return tl::unexpected(file.error());
    if (auto ok = file->write(*after); !ok) return tl::unexpected(ok.error());
    if (is_there) {
      if (auto ok = file->set_mode(facts.st_mode & 07777); !ok) return tl::unexpected(ok.error());
    }
    return file->finish();
  }();
  ::unlink(lock_path.c_str());  // by its holder, as the lock demands
  return changed;
}

}  // namespace steno
