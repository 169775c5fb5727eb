// The descendants of a dead keeper. The kernel makes them children of the worker, because the
// worker is a sub-reaper too.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/unique_fd.hpp"
#include "workers/processes/process_table.hpp"

namespace processes {

class StrayTree {
 public:
  // `keeper`: its pid, which is also its session id; it must have been reaped. `lock_file`: the
  // value of the marker in its tree's environment.
  StrayTree(pid_t keeper, std::string lock_file)
      : keeper_(keeper), lock_file_(std::move(lock_file)) {}

  // Kills the strays that exist and reaps those that have ended. Returns true when none is left;
  // else call it again when one of `handles()` becomes readable.
  bool sweep();
  std::vector<int> handles() const;

 private:
  ProcessTable select(const ProcessTable& table) const;
  bool belongs(const ProcessRow& child) const;

  const pid_t keeper_;
  const std::string lock_file_;
  std::vector<base::UniqueFd> handles_;  // pidfds of killed processes that can still exist
};

}  // namespace processes
