// The owners of the agent processes of one home. An agent process has an owner if a keeper that is
// a child of the living worker is above it, and the log shows the lease under which it runs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/aggregates.hpp"
#include "workers/processes/process_table.hpp"

namespace crash {

// The kernel's name of servers and workers.
inline constexpr std::string_view kServerName = "steno-server";

struct MarkedProcess {
  processes::ProcessRow row;
  std::string session;               // the one that its environment names
  pid_t worker = 0;                  // parent of the keeper above it; 0: no keeper is above it
  processes::ProcessRow agent_root;  // the keeper's child: the process itself, or an ancestor of it

  pid_t keeper() const { return agent_root.parent; }  // 0: none
};

// Returns every living process, wherever it stands in the tree, whose environment names a lock file
// below `lock_folder`; keepers are left out.
std::vector<MarkedProcess> marked_processes(
    const std::string& lock_folder,
    const processes::ProcessTable& table = processes::all_processes());

// Returns a line with the reason for each process without an owner; empty: all have one.
std::string describe_unowned(const std::vector<MarkedProcess>& processes, pid_t worker,
                             const std::map<base::SessionId, domain::SessionState>& sessions);

}  // namespace crash
