// A lock file beside the file keeps two processes apart, each of which would undo the other's
// change. It is gone once the change is made.
#include "tools/steno/config/change_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/new_file.hpp"
#include "eventlog/base/own_folder.hpp"
#include "tools/steno/config/whole_file.hpp"

namespace steno {

using base::ErrorCode;
using base::Result;

namespace {

constexpr std::size_t kChangedBytesMax = std::size_t{16} << 20;  // nobody writes more by hand

// Returns the file that a path means: the one behind its links.
Result<std::string> linked_file(const std::string& path) {
  std::error_code failed;
  const std::string real = std::filesystem::weakly_canonical(path, failed).string();
  if (failed) {
    return base::failure(ErrorCode::io, "its path leads nowhere: " + failed.message(), path);
  }
  struct stat facts {};
  if (::lstat(real.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode)) {
    return base::failure(ErrorCode::refused,
                         "it is a link to a file that is not there; make that file, or remove the "
                         "link",
                         real);
  }
  return real;
}

}  // namespace

Result<std::string> bytes_of_file(const std::string& path) {
  auto file = read_whole_file(path, kChangedBytesMax);
  if (file) return std::move(file->bytes);
  if (file.error().code == ErrorCode::not_found) return std::string();
  return tl::unexpected(file.error());
}

Result<bool> change_file(const std::string& path,
                         const std::function<Result<std::string>(const std::string&)>& change) {
  const auto linked = linked_file(path);
  if (!linked) return tl::unexpected(linked.error());
  const std::string& real = *linked;
  const std::filesystem::path folder = std::filesystem::path(real).parent_path();
  if (auto ok = base::make_folders(folder.string()); !ok) return tl::unexpected(ok.error());
  const std::string lock_path = real + ".lock";
  auto lock = base::FileLock::take(lock_path);
  if (!lock && lock.error().code == ErrorCode::in_use) {
    return base::failure(ErrorCode::busy, "another process is changing it; try again", real);
  }
  if (!lock) return tl::unexpected(lock.error());
  auto changed = [&]() -> Result<bool> {
    auto before = read_whole_file(real, kChangedBytesMax);
    const bool is_there = before.has_value();
    if (!is_there && before.error().code != ErrorCode::not_found) {
      return tl::unexpected(before.error());
    }
    const auto after = change(is_there ? before->bytes : std::string());
    if (!after) return tl::unexpected(after.error());
    if (is_there && *after == before->bytes) return false;
    auto file = base::NewFile::open(real, base::OldFile::replaced);
    if (!file) return tl::unexpected(file.error());
    if (auto ok = file->write(*after); !ok) return tl::unexpected(ok.error());
    if (is_there) {
      if (auto ok = file->set_mode(before->mode); !ok) return tl::unexpected(ok.error());
    }
    return file->finish();
  }();
  ::unlink(lock_path.c_str());  // by its holder, as the lock demands
  return changed;
}

}  // namespace steno
