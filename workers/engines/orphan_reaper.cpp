#include "workers/engines/orphan_reaper.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "workers/engines/agent_process.hpp"
#include "workers/engines/process_table.hpp"
#include "workers/engines/session_lock.hpp"
#include "workers/engines/system_failure.hpp"

namespace engines {
namespace {

bool is_ours(pid_t pid) {
  struct stat status {};
  return ::stat(("/proc/" + std::to_string(pid)).c_str(), &status) == 0 &&
         status.st_uid == ::getuid();
}

// One reading of all locks: asks about each lock file once.
class OrphanSearch {
 public:
  explicit OrphanSearch(std::string prefix) : prefix_(std::move(prefix)) {}

  ProcessTable select(const ProcessTable& table) {
    ProcessTable orphans;
    for (const ProcessRow& row : table) {
      // A keeper may be about to take its lock. It cannot be an orphan: it ends with its worker.
      if (row.has_ended() || row.pid == ::getpid() || row.name == kKeeperName) continue;
      if (!is_ours(row.pid)) continue;
      const auto lock_file = environment_value(row.pid, kLockMarker);
      if (!lock_file || !is_free(*lock_file)) continue;
      orphans.push_back(row);
      found_[row.pid] = {row.pid, static_cast<std::int64_t>(row.start_ticks),
                         environment_value(row.pid, kSessionMarker).value_or(""), *lock_file};
    }
    return orphans;
  }

  const Orphan& found(pid_t pid) const { return found_.at(pid); }

 private:
  bool is_free(const std::string& lock_file) {
    std::error_code error;
    const auto path = std::filesystem::weakly_canonical(lock_file, error).string();
    if (error || !path.starts_with(prefix_)) return false;
    const auto locked = is_locked(path);
    return locked && !*locked;
  }

  const std::string prefix_;
  std::map<pid_t, Orphan> found_;
};

}  // namespace

base::Result<std::vector<Orphan>> reap_orphans(const std::string& lock_folder) {
  std::error_code error;
  const auto folder = std::filesystem::canonical(lock_folder, error);
  if (error) return system_failure(error.value(), "cannot read the folder of locks", lock_folder);
  OrphanSearch search(folder.string() + "/");
  std::vector<Orphan> reaped;
  const auto killed =
      kill_selected([&](const ProcessTable& table) { return search.select(table); });
  for (const ProcessRow& row : killed) reaped.push_back(search.found(row.pid));
  return reaped;
}

}  // namespace engines
