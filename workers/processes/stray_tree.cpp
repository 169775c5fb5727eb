// Strays are selected by parent, session and lock marker, killed, and reaped in rounds.
#include "workers/processes/stray_tree.hpp"

#include <sys/wait.h>

#include "workers/processes/agent_process.hpp"
#include "workers/processes/pidfd.hpp"

namespace processes {
namespace {

// Each round can turn grandchildren into children; deeper trees need another sweep.
constexpr int kReapRoundsMax = 16;

}  // namespace

bool StrayTree::sweep() {
  kill_selected([this](const ProcessTable& table) { return select(table); });
  handles_.clear();
  for (int round = 0; round < kReapRoundsMax; ++round) {
    const ProcessTable left = select(all_processes());
    if (left.empty()) return true;
    bool is_reaped = false;
    for (const ProcessRow& row : left) {
      if (row.has_ended()) is_reaped |= ::waitpid(row.pid, nullptr, WNOHANG | __WALL) == row.pid;
    }
    if (is_reaped) continue;
    for (const ProcessRow& row : left) {
      base::UniqueFd handle(::pidfd_open(row.pid, 0));
      if (handle.is_open() && !row.has_ended()) handles_.push_back(std::move(handle));
    }
    break;
  }
  return false;
}

std::vector<int> StrayTree::handles() const {
  std::vector<int> fds;
  for (const base::UniqueFd& handle : handles_) fds.push_back(handle.get());
  return fds;
}

ProcessTable StrayTree::select(const ProcessTable& table) const {
  const pid_t worker = ::getpid();
  const pid_t session = ::getsid(0);
  ProcessTable selected;
  for (const ProcessRow& row : table) {
    // A keeper is never a stray; other processes that the worker starts stay in its own session.
    if (row.parent != worker || row.session == session || row.name == kKeeperName) continue;
    if (!belongs(row)) continue;
    selected.push_back(row);
    const ProcessTable below = descendants_of(row.pid, table);
    selected.insert(selected.end(), below.begin(), below.end());
  }
  return selected;
}

bool StrayTree::belongs(const ProcessRow& child) const {
  if (child.session == keeper_) return true;
  const auto lock = value_of(kLockMarker, environment_of(child.pid));
  // Without a marker it has cleared its environment, or ended: it belongs to some dead keeper.
  return !lock || *lock == lock_file_;
}

}  // namespace processes
