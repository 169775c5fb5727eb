// Markers in a process's environment, or else its tree's mark, lead to its lock file; a free lock
// makes the process an orphan.
#include "workers/processes/orphan_reaper.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/list_files.hpp"
#include "workers/processes/agent_process.hpp"
#include "workers/processes/process_table.hpp"
#include "workers/processes/system_failure.hpp"
#include "workers/processes/tree_mark.hpp"

namespace processes {
namespace {

// A process without an environment is looked at again, this often and this far apart, since it can
// be in the middle of execve. Kernel threads never have one, hence the limit.
constexpr int kPassesMax = 5;
constexpr int kPassPauseMs = 2;

bool is_ours(pid_t pid) {
  struct stat status {};
  return ::stat(("/proc/" + std::to_string(pid)).c_str(), &status) == 0 &&
         status.st_uid == ::getuid();
}

// Selects orphans from tables of processes and remembers what is known of each.
class OrphanSearch {
 public:
  explicit OrphanSearch(std::string folder) : folder_(std::move(folder)), prefix_(folder_ + "/") {}

  ProcessTable select(const ProcessTable& table) {
    ProcessTable orphans;
    has_undecided_ = false;
    for (const ProcessRow& row : table) {
      // A keeper can be about to take its lock. It is no orphan: it ends with its worker.
      if (row.has_ended() || row.pid == ::getpid() || row.name == kKeeperName) continue;
      if (!is_ours(row.pid)) continue;
      const std::string environment = environment_of(row.pid);
      auto lock_file = value_of(kLockMarker, environment);
      if (!lock_file) lock_file = marked_lock(row.pid);
      has_undecided_ |= environment.empty() && !lock_file;
      if (!lock_file || !is_free(*lock_file)) continue;
      orphans.push_back(row);
      found_[row.pid] = {row.pid, static_cast<std::int64_t>(row.start_ticks),
                         value_of(kSessionMarker, environment).value_or(""), *lock_file};
    }
    return orphans;
  }

  bool has_undecided() const { return has_undecided_; }
  const Orphan& found(pid_t pid) const { return found_.at(pid); }

 private:
  // Returns the file of the folder whose mark the process has; none: it has none, or another's.
  std::optional<std::string> marked_lock(pid_t pid) const {
    const auto mark = mark_of(pid);
    if (!mark) return std::nullopt;
    auto files = base::list_files(folder_);
    if (!files) return std::nullopt;
    for (base::ListedFile& file : *files) {
      if (tree_mark(file.path.c_str()) == mark) return std::move(file.path);
    }
    return std::nullopt;
  }

  bool is_free(const std::string& lock_file) {
    std::error_code error;
    const auto path = std::filesystem::weakly_canonical(lock_file, error).string();
    if (error || !path.starts_with(prefix_)) return false;
    const auto locked = base::is_locked(path);
    return locked && !*locked;
  }

  const std::string folder_;
  const std::string prefix_;
  std::map<pid_t, Orphan> found_;
  bool has_undecided_ = false;  // in the last table
};

}  // namespace

base::Result<std::vector<Orphan>> reap_orphans(const std::string& lock_folder) {
  std::error_code error;
  const auto folder = std::filesystem::canonical(lock_folder, error);
  if (error) return system_failure(error.value(), "cannot read the folder of locks", lock_folder);
  OrphanSearch search(folder.string());
  std::vector<Orphan> reaped;
  for (int pass = 0; pass < kPassesMax; ++pass) {
    if (pass > 0) ::poll(nullptr, 0, kPassPauseMs);
    const auto killed =
        kill_selected([&](const ProcessTable& table) { return search.select(table); });
    for (const ProcessRow& row : killed) reaped.push_back(search.found(row.pid));
    if (!search.has_undecided()) break;
  }
  return reaped;
}

}  // namespace processes
