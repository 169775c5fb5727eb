// Ends orphans: processes with a marker of a session whose lock nobody holds, because worker and
// keepers were killed. Run at start-up, before sessions are taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eventlog/base/result.hpp"

namespace processes {

struct Orphan {
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;
  std::string session;  // the marker's value; can be empty
  std::string lock_file;
};

// Sends SIGKILL to every orphan of our own user whose lock file is below `lock_folder`, and returns
// them; does not wait for their end. Error `not_found`: the folder is missing. A process is known
// by its environment, or by its tree's mark if that was cleared or overwritten.
base::Result<std::vector<Orphan>> reap_orphans(const std::string& lock_folder);

}  // namespace processes
