// Checks and makes data folders, and keeps the evidence of a log that is being opened. Owner and
// permissions are checked before anything is made or changed.
#include "eventlog/folder/data_layout.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "eventlog/base/list_files.hpp"

namespace eventlog {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;
using base::Result;

std::string parent_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Makes the folder and its missing parents, and makes their names durable.
Result<void> make_folder(const std::string& path, Disk& disk) {
  auto made = disk.make_folder(path);
  if (!made && made.error().code == ErrorCode::not_found && parent_of(path) != path) {
    if (auto ok = make_folder(parent_of(path), disk); !ok) return ok;
    made = disk.make_folder(path);
  }
  if (!made) return tl::unexpected(made.error());
  return *made ? disk.sync_folder(parent_of(path)) : Result<void>();
}

tl::unexpected<base::Error> belongs_to(uid_t user, const std::string& root) {
  return failure(ErrorCode::refused,
                 "the folder belongs to user " + std::to_string(user) + ", and this is user " +
                     std::to_string(::geteuid()) + "; run as that user or give another folder",
                 root);
}

Result<void> check_owner(const std::string& root) {
  struct stat status {};
  if (::stat(root.c_str(), &status) != 0) {
    return tl::unexpected(errno_error("cannot look at the folder", root));
  }
  if (!S_ISDIR(status.st_mode)) {
    return failure(ErrorCode::invalid, "this is no folder", root);
  }
  if (status.st_uid != ::geteuid()) return belongs_to(status.st_uid, root);
  if (::access(root.c_str(), R_OK | W_OK | X_OK) != 0) {
    return tl::unexpected(errno_error("the folder is not writable", root));
  }
  return {};
}

Result<void> check_no_foreign_files(const std::string& root) {
  const auto entries = base::list_files(root);
  if (!entries) return tl::unexpected(entries.error());
  for (const base::ListedFile& entry : *entries) {
    if (is_known_name(entry.name)) continue;
    return failure(ErrorCode::invalid,
                   "the folder holds no log, but other files, such as '" + entry.name +
                       "'; give an empty or a new folder",
                   root);
  }
  return {};
}

// Refuses a folder that all users can write to: /tmp, or a mount point before its disk is mounted.
Result<void> check_not_shared(const std::string& root) {
  struct stat status {};
  if (::stat(root.c_str(), &status) != 0) {
    return tl::unexpected(errno_error("cannot look at the folder", root));
  }
  if ((status.st_mode & (S_IWOTH | S_ISVTX)) == 0) return {};
  return failure(ErrorCode::refused,
                 "every user may write into this folder; give a new one, or make "
                 "it yours alone (chmod 700)",
                 root);
}

Result<void> close_to_others(const std::string& root) {
  if (::chmod(root.c_str(), 0700) == 0) return {};
  return tl::unexpected(errno_error("cannot close the folder to others", root));
}

// True for files that RocksDB leaves behind when it dies while it makes a database; they hold no
// log.
bool is_left_by_creation(const base::ListedFile& file) {
  const std::string& name = file.name;
  return name == "LOCK" || name == "IDENTITY" || name.starts_with("LOG") ||
         name.starts_with("MANIFEST-") || name.starts_with("OPTIONS-") ||
         file.extension() == ".dbtmp";
}

// True for names like 000012.sst and 000013.log.
bool is_numbered(const base::ListedFile& file) {
  const std::string stem = file.stem();
  return !stem.empty() && stem.find_first_not_of("0123456789") == std::string::npos;
}

// True for the files that a log is read from; the others are RocksDB's own notes and its lock.
bool is_part_of_log(const base::ListedFile& file) {
  return is_numbered(file) || file.name == "CURRENT" || file.name.starts_with("MANIFEST-");
}

// Returns the names of the log's files in log/ or evidence/.
Result<std::vector<std::string>> parts_of_log(const std::string& folder) {
  const auto entries = base::list_files(folder);
  if (!entries) return tl::unexpected(entries.error());
  std::vector<std::string> names;
  for (const base::ListedFile& entry : *entries) {
    if (is_part_of_log(entry)) names.push_back(entry.name);
  }
  return names;
}

// Error io: a part of it is still there.
Result<void> remove_wholly(const std::string& path, Disk& disk) {
  disk.remove_all(path);
  if (is_gone(path)) return {};
  return failure(ErrorCode::io, "cannot be removed; see to its permissions, or remove it by hand",
                 path);
}

// Checks the folder of a log that has no database, or only the beginnings of one.
Result<void> check_empty_log(const std::string& log) {
  const auto entries = base::list_files(log);
  if (!entries) return tl::unexpected(entries.error());
  for (const base::ListedFile& entry : *entries) {
    if (is_left_by_creation(entry)) continue;
    if (is_numbered(entry)) {
      return failure(ErrorCode::damaged,
                     "the log's file CURRENT is missing, while " + entry.name + " is there", log);
    }
    return failure(ErrorCode::invalid,
                   "the folder holds no log, but other files, such as '" + entry.name + "'", log);
  }
  return {};
}

}  // namespace

bool LogFolder::has_log() const {
  return ::access((log() + "/CURRENT").c_str(), F_OK) == 0;
}

bool is_known_name(std::string_view name) {
  // The log's own names, then those that a server, its worker and its configuration keep beside it.
  constexpr std::array<std::string_view, 26> kNames = {
      "lock",    "head",       "head.new", "erased",      "erased.new", "key",
      "key.new", "base",       "making",   "making.new",  "log",        "index",
      "views",   "evidence",   "label",    "label.new",   "restoring",  "restoring.new",
      "run",     "steno.toml", "locks",    "worker.lock", "server",     "server.new",
      "content", "worktrees"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::vector<std::string> foreign_files(const LogFolder& folder) {
  std::vector<std::string> found;
  const std::vector<base::ListedFile> none;
  for (const base::ListedFile& entry : base::list_files(folder.root).value_or(none)) {
    if (!is_known_name(entry.name)) found.push_back(entry.name);
  }
  for (const base::ListedFile& entry : base::list_files(folder.log()).value_or(none)) {
    const bool is_own = is_part_of_log(entry) || is_left_by_creation(entry);
    if (!is_own) found.push_back("log/" + entry.name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<void> prepare_data_folder(const LogFolder& folder, Disk& disk) {
  if (auto ok = make_folder(folder.root, disk); !ok) return ok;
  if (auto ok = check_owner(folder.root); !ok) return ok;
  if (!folder.has_log()) {
    if (auto ok = check_no_foreign_files(folder.root); !ok) return ok;
    if (auto ok = check_not_shared(folder.root); !ok) return ok;
    // The process that made the folder may have been killed before its name was durable. A parent
    // that this user cannot open was not made by this user.
    auto named = disk.sync_folder(parent_of(folder.root));
    if (!named && named.error().code != ErrorCode::refused) return named;
  }
  // The folder is empty, or holds a log that may have been copied here by hand with wider
  // permissions.
  return close_to_others(folder.root);
}

Result<void> close_empty_folder(const std::string& folder) {
  if (auto ok = check_owner(folder); !ok) return ok;
  if (auto ok = check_not_shared(folder); !ok) return ok;
  return close_to_others(folder);
}

Result<void> make_log_folders(const LogFolder& folder, Disk& disk) {
  for (const std::string& path : {folder.log(), folder.index(), folder.views()}) {
    if (auto ok = make_folder(path, disk); !ok) return ok;
  }
  return folder.has_log() ? Result<void>() : check_empty_log(folder.log());
}

Result<void> check_readable(const LogFolder& folder) {
  struct stat status {};
  const std::string& root = folder.root;
  if (::stat(root.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return {};
  if (::access(root.c_str(), R_OK | X_OK) == 0) return {};
  if (status.st_uid != ::geteuid()) return belongs_to(status.st_uid, root);
  return tl::unexpected(errno_error("the data folder is not readable", root));
}

Result<void> check_restored(const LogFolder& folder) {
  if (::access(folder.restoring().c_str(), F_OK) != 0) return {};
  return failure(ErrorCode::damaged,
                 "restoring a backup into this folder was cut short; restore it again",
                 folder.root);
}

Result<void> check_no_log(const LogFolder& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder.log(), failed)) return {};
  return check_empty_log(folder.log());
}

Result<bool> keep_evidence(const LogFolder& folder, Disk& disk) {
  const auto names = parts_of_log(folder.log());
  if (!names) return tl::unexpected(names.error());
  std::error_code failed;
  const bool is_first = !fs::exists(folder.evidence(), failed) && !failed;
  if (names->empty()) return is_first;
  if (auto ok = make_folder(folder.evidence(), disk); !ok) return tl::unexpected(ok.error());
  for (const std::string& name : *names) {
    // A link from an earlier attempt stays: it is the state that was found first.
    auto kept = disk.link(folder.log() + "/" + name, folder.evidence() + "/" + name);
    if (!kept) return kept;
    if (!name.ends_with(".log")) continue;
    if (auto ok = disk.settle(folder.log() + "/" + name); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  return is_first;
}

Result<void> drop_evidence(const LogFolder& folder, Disk& disk) {
  std::error_code failed;
  if (!fs::exists(folder.evidence(), failed) && !failed) return {};
  if (auto ok = remove_wholly(folder.evidence(), disk); !ok) return ok;
  return disk.sync_folder(folder.root);
}

Result<void> put_evidence_back(const LogFolder& folder, Disk& disk) {
  auto found = parts_of_log(folder.evidence());
  if (!found) return tl::unexpected(found.error());
  // CURRENT always names a file that exists. It is put back after all files that it named when it
  // was found, and before the files that it named meanwhile are removed.
  std::stable_partition(found->begin(), found->end(),
                        [](const std::string& name) { return name != "CURRENT"; });
  for (const std::string& name : *found) {
    const std::string kept = folder.evidence() + "/" + name;
    const std::string place = folder.log() + "/" + name;
    std::error_code missing;
    if (fs::equivalent(kept, place, missing)) continue;
    if (name == "CURRENT") {
      if (auto ok = disk.sync_folder(folder.log()); !ok) return ok;
    }
    // Make a second name first, since a rename takes the old one away.
    const std::string second = unfinished(kept);
    if (auto ok = disk.link(kept, second); !ok) return tl::unexpected(ok.error());
    if (auto ok = disk.rename(second, place); !ok) return ok;
  }
  if (auto ok = disk.sync_folder(folder.log()); !ok) return ok;
  const auto names = parts_of_log(folder.log());
  if (!names) return tl::unexpected(names.error());
  for (const std::string& name : *names) {
    const bool is_found = std::find(found->begin(), found->end(), name) != found->end();
    if (is_found) continue;
    if (auto ok = remove_wholly(folder.log() + "/" + name, disk); !ok) return ok;
  }
  if (auto ok = disk.sync_folder(folder.log()); !ok) return ok;
  return drop_evidence(folder, disk);
}

}  // namespace eventlog
