// Watches what one agent reports for signs that it is stuck: it works, and says nothing although no
// tool of its runs; or it makes one tool call again and again, always with the same result.
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
  // repeated, the tool of a call that was denied, and whether the turn of a result has said
  // nothing. `is_heard`: the agent has said something, and no time has passed that made it.
  void take(domain::Report& report, bool is_heard = true);

  // Returns the time at which an agent at work that was last heard at `heard_at` counts as silent;
  // none: a tool of its runs, or its silence was reported.
  std::optional<base::Duration> silent_at(base::Duration heard_at,
                                          base::Duration silence_max) const;
  // True if its silence was reported, and nothing since.
  bool is_silence_reported() const { return is_silence_reported_; }

 private:
  // Calls that came directly one after the other and are the same, with the same result.
  struct Row {
    base::Hash digest{};  // of tool and input
    std::int64_t count = 0;
    std::optional<base::Hash> result;  // of those that have ended; none: none has
  };
  struct OpenCall {
    std::string tool;
    std::string parent;
    base::Hash digest{};
  };

  void begin_call(domain::ReportToolCallStarted& call);
  void end_call(domain::ReportToolCallFinished& call);

  std::map<std::string, Row> last_;  // by the call whose subagent made it; empty: the agent itself
  std::map<std::string, OpenCall> open_calls_;  // whose results have not come
  base::Duration pause_{0};  // until it makes a failed call of its model again, since it said so
  std::set<base::TurnId> said_;  // turns under way in which the agent itself has said something
  bool is_silence_reported_ = false;
};

}  // namespace workers
