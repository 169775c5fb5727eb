// Runs the agent process that an engine describes, for tests against real programs. The product
// does this with keepers and leases; this is the shortest form that works.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/support/driven_engine.hpp"

namespace interop {

class AgentRun {
 public:
  // Starts the process. `engine` must outlive the run.
  AgentRun(support::DrivenEngine& engine, const std::string& folder);
  ~AgentRun();  // kills a process that still runs
  AgentRun(const AgentRun&) = delete;
  AgentRun& operator=(const AgentRun&) = delete;

  void write(base::ByteView bytes);
  // Returns all reports through the first of kind R, or those that came until the end or within 60
  // s.
  template <class R>
  std::vector<domain::Report> until() {
    return read_until(
        [](const domain::Report& report) { return std::holds_alternative<R>(report); });
  }
  // Closes stdin and reads to the end. Returns the exit code, or minus the signal.
  int finish();

 private:
  using IsLast = bool (*)(const domain::Report&);
  std::vector<domain::Report> read_until(IsLast is_last);
  bool read_some(base::Time until);

  support::DrivenEngine& engine_;
  pid_t pid_ = -1;
  int stdin_ = -1;
  int stdout_ = -1;
  bool is_ended_ = false;
  std::string unread_;
};

}  // namespace interop
