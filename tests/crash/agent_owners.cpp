// Finds agent processes through the markers in their environment, and their keepers by walking up
// the process table.
#include "tests/crash/agent_owners.hpp"

#include <unistd.h>

#include <algorithm>

#include "workers/processes/agent_process.hpp"

namespace crash {
namespace {

using processes::ProcessRow;
using processes::ProcessTable;

const ProcessRow* row_of(pid_t pid, const ProcessTable& table) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const ProcessRow& row) { return row.pid == pid; });
  return found == table.end() ? nullptr : &*found;
}

void find_keeper(MarkedProcess& process, const ProcessTable& table) {
  const ProcessRow* child = &process.row;
  // The walk ends even if the table has a cycle: no tree is deeper than the table is long.
  for (std::size_t depth = 0; depth < table.size(); ++depth) {
    const ProcessRow* parent = row_of(child->parent, table);
    if (parent == nullptr) return;
    if (parent->name == processes::kKeeperName && !parent->has_ended()) {
      process.worker = parent->parent;
      process.agent_root = *child;
      return;
    }
    child = parent;
  }
}

std::string why_unowned(const MarkedProcess& process, pid_t worker,
                        const std::map<base::SessionId, domain::SessionState>& sessions) {
  if (process.worker == 0) return "no keeper is above it";
  if (process.worker != worker) return "its keeper has lost its worker";
  const auto id = base::SessionId::parse(process.session);
  const auto found = id ? sessions.find(*id) : sessions.end();
  if (found == sessions.end()) return "the log does not know its session";
  const auto& lease = found->second.lease;
  if (!lease) return "its session has no lease";
  const bool is_other = lease->pid != 0 && process.agent_root.parent != 0 &&
                        process.row.pid == process.agent_root.pid && lease->pid != process.row.pid;
  return is_other ? "the lease is about pid " + std::to_string(lease->pid) : "";
}

}  // namespace

std::vector<MarkedProcess> marked_processes(const std::string& lock_folder,
                                            const ProcessTable& table) {
  std::vector<MarkedProcess> marked;
  for (const ProcessRow& row : table) {
    if (row.has_ended() || row.name == processes::kKeeperName) continue;
    const std::string environment = processes::environment_of(row.pid);
    const auto lock = processes::value_of(processes::kLockMarker, environment);
    if (!lock || !lock->starts_with(lock_folder + "/")) continue;
    MarkedProcess process{
        row, processes::value_of(processes::kSessionMarker, environment).value_or(""), 0, {}};
    find_keeper(process, table);
    marked.push_back(std::move(process));
  }
  return marked;
}

std::string describe_unowned(const std::vector<MarkedProcess>& processes, pid_t worker,
                             const std::map<base::SessionId, domain::SessionState>& sessions) {
  std::string text;
  for (const MarkedProcess& process : processes) {
    const std::string why = why_unowned(process, worker, sessions);
    if (why.empty()) continue;
    text += "pid " + std::to_string(process.row.pid) + " (" + process.row.name + ", child of " +
            std::to_string(process.row.parent) + ") of session " + process.session + ": " + why +
            "\n";
  }
  return text;
}

}  // namespace crash
