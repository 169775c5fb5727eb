#include "eventlog/data_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace eventlog {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;
using base::Result;

base::Error errno_error(const std::string& what, const std::string& path) {
  const bool is_refused = errno == EACCES || errno == EPERM || errno == EROFS;
  return {is_refused ? ErrorCode::refused : ErrorCode::io, what + ": " + std::strerror(errno),
          path};
}

Result<bool> sync(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return tl::unexpected(errno_error("cannot open for syncing", path));
  const bool is_synced = ::fsync(fd) == 0;
  const base::Error error = errno_error("cannot sync", path);
  ::close(fd);
  if (!is_synced) return tl::unexpected(error);
  return true;
}

std::string parent_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Makes the folder and those above it that are missing, 0700, and makes their names durable.
Result<bool> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return sync_folder(parent_of(path));
  if (errno == EEXIST) return true;
  if (errno != ENOENT || parent_of(path) == path) {
    return tl::unexpected(errno_error("cannot make the folder", path));
  }
  if (auto ok = make_folder(parent_of(path)); !ok) return ok;
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return tl::unexpected(errno_error("cannot make the folder", path));
  }
  return sync_folder(parent_of(path));
}

Result<bool> check_owner(const std::string& root) {
  struct stat status {};
  if (::stat(root.c_str(), &status) != 0) {
    return tl::unexpected(errno_error("cannot look at the data folder", root));
  }
  if (!S_ISDIR(status.st_mode)) {
    return failure(ErrorCode::invalid, "the data folder is not a folder", root);
  }
  if (status.st_uid != ::geteuid()) {
    return failure(ErrorCode::refused,
                   "the data folder belongs to user " + std::to_string(status.st_uid) +
                       ", and this is user " + std::to_string(::geteuid()) +
                       "; run as that user or give another folder",
                   root);
  }
  if (::access(root.c_str(), R_OK | W_OK | X_OK) != 0) {
    return tl::unexpected(errno_error("the data folder is not writable", root));
  }
  return true;
}

Result<bool> check_no_foreign_files(const std::string& root) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(root, failed)) {
    const std::string name = entry.path().filename().string();
    if (is_known_name(name)) continue;
    return failure(ErrorCode::invalid,
                   "the folder holds no log, but other files, such as '" + name +
                       "'; give an empty or a new folder",
                   root);
  }
  if (!failed) return true;
  return failure(ErrorCode::io, "cannot list the data folder: " + failed.message(), root);
}

// What RocksDB leaves behind when it dies while it makes a database: nothing is in it yet.
bool is_left_by_creation(const fs::path& name) {
  const std::string text = name.string();
  return text == "LOCK" || text == "IDENTITY" || text.starts_with("LOG") ||
         text.starts_with("MANIFEST-") || text.starts_with("OPTIONS-") ||
         name.extension() == ".dbtmp";
}

// Such as 000012.sst and 000013.log.
bool is_numbered(const fs::path& name) {
  const std::string stem = name.stem().string();
  return !stem.empty() && stem.find_first_not_of("0123456789") == std::string::npos;
}

// The folder of a log that has no database, or only the beginnings of one.
Result<bool> check_empty_log(const std::string& log) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(log, failed)) {
    const fs::path name = entry.path().filename();
    if (is_left_by_creation(name)) continue;
    if (is_numbered(name)) {
      return failure(ErrorCode::damaged,
                     "the log's file CURRENT is missing, while " + name.string() + " is there",
                     log);
    }
    return failure(ErrorCode::invalid,
                   "the folder holds no log, but other files, such as '" + name.string() + "'",
                   log);
  }
  if (!failed) return true;
  return failure(ErrorCode::io, "cannot list the log's folder: " + failed.message(), log);
}

}  // namespace

bool LogFolder::has_log() const {
  return ::access((log() + "/CURRENT").c_str(), F_OK) == 0;
}

bool is_known_name(std::string_view name) {
  // The log's own, then what a server, its workers and its configuration keep beside it.
  constexpr std::array<std::string_view, 12> kNames = {
      "lock", "head", "log",  "index",    "views",   "evidence",
      "run",  "keys", "logs", "sessions", "workers", "steno.toml"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Result<bool> prepare_data_folder(const LogFolder& folder) {
  if (auto ok = make_folder(folder.root); !ok) return ok;
  if (auto ok = check_owner(folder.root); !ok) return ok;
  if (!folder.has_log()) {
    if (auto ok = check_no_foreign_files(folder.root); !ok) return ok;
  }
  // What was copied here by hand may have come with wider permissions.
  if (::chmod(folder.root.c_str(), 0700) != 0) {
    return tl::unexpected(errno_error("cannot close the data folder to others", folder.root));
  }
  return true;
}

Result<bool> make_log_folders(const LogFolder& folder) {
  for (const std::string& path : {folder.log(), folder.index(), folder.views()}) {
    if (auto ok = make_folder(path); !ok) return ok;
  }
  return folder.has_log() ? true : check_empty_log(folder.log());
}

Result<bool> sync_folder(const std::string& path) {
  return sync(path, O_RDONLY | O_DIRECTORY);
}

Result<bool> keep_write_ahead_log(const LogFolder& folder) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder.log(), failed)) {
    if (entry.path().extension() != ".log") continue;
    if (auto ok = sync(entry.path().string(), O_RDWR); !ok) return ok;
    if (auto ok = make_folder(folder.evidence()); !ok) return ok;
    const std::string kept = folder.evidence() + "/" + entry.path().filename().string();
    // Links of an earlier attempt stay: they are what was found first.
    if (::link(entry.path().c_str(), kept.c_str()) != 0 && errno != EEXIST) {
      return tl::unexpected(errno_error("cannot keep the write-ahead log as evidence", kept));
    }
  }
  if (!failed) return true;
  return failure(ErrorCode::io, "cannot list the log's folder: " + failed.message(), folder.log());
}

void drop_evidence(const LogFolder& folder) {
  std::error_code ignored;  // what stays is dropped next time
  fs::remove_all(folder.evidence(), ignored);
}

}  // namespace eventlog
