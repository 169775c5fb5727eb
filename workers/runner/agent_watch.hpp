// Watches what one agent reports for signs that it is stuck: it works, and says nothing although no
// tool of its runs; or it makes one tool call again and again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "workers/engines/engine.hpp"

namespace workers {

class AgentWatch {
 public:
  // Takes a report of the agent, in order, before it is sent. Fills in how often a call was
  // repeated. `is_heard`: the agent has said something, and no time has passed that made it.
  void take(domain::Report& report, bool is_heard = true);

  // Returns the time at which an agent at work that was last heard at `heard_at` counts as silent;
  // none: a tool of its runs, or its silence was reported.
  std::optional<base::Duration> silent_at(base::Duration heard_at,
                                          base::Duration silence_max) const;
  // True if its silence was reported, and nothing since.
  bool is_silence_reported() const { return is_silence_reported_; }

 private:
  struct Call {
    base::Hash digest{};  // of tool and input
    std::int64_t count = 0;
  };

  void begin_call(domain::ReportToolCallStarted& call);

  std::map<std::string, Call> last_;  // by the call whose subagent made it; empty: the agent itself
  std::set<std::string> open_calls_;  // whose results have not come
  base::Duration pause_{0};  // until it makes a failed call of its model again, since it said so
  bool is_silence_reported_ = false;
};

}  // namespace workers
