// Ends what a worker and its keepers left when all of them were killed: processes that carry the
// marker of a session whose lock nobody holds any more. Run at start-up, before sessions are taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eventlog/base/result.hpp"

namespace engines {

struct Orphan {
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;
  std::string session;  // the marker's value; may be empty
  std::string lock_file;
};

// Sends SIGKILL to every such process of our own user with a lock file below `lock_folder`, and
// returns them; does not wait for their end. `not_found` when the folder is missing. A process that
// has cleared its environment is not found, and one that has overwritten it might not be.
base::Result<std::vector<Orphan>> reap_orphans(const std::string& lock_folder);

}  // namespace engines
