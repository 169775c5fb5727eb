// Questions and plans of Claude Code are held in the step before the call by which it asks its
// user: only there can it be told to wait without a process (permissionDecision "defer", seen
// with 2.1.112 and 2.1.332). The request for the call itself, which follows the step, is then
// answered at once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workers/engines/engine.hpp"

namespace engines {

class ClaudeHolds {
 public:
  // `are_wanted`: people hear what the agent asks. `points`: those at which hooks are asked.
  ClaudeHolds(bool are_wanted, const std::vector<domain::HookPoint>& points);

  bool are_wanted() const { return are_wanted_; }
  // True for the step before a question or a plan.
  bool is_held_kind(const Ask& step) const;

  // Makes what people are asked of the step before such a call, if no hooks are asked there.
  void hold(Ask& ask);
  // Hooks have let the step pass, with the changes `text`. Returns what people are asked now, under
  // the step's id; none: it is no such call, or not one of the agent itself (`is_agents_own`).
  std::optional<Ask> behind_step(const Ask& step, base::ByteView text, bool is_agents_own);
  // Returns the line that lets a held call go on to its own request; none: the ask is not held.
  std::optional<Bytes> answered(const Answer& answer);
  // Returns the answer to the request of a call that was held; none: it was not.
  std::optional<Answer> answer_to(const Ask& ask);
  // Returns the line that ends the agent's process until the held ask is answered.
  Bytes deferred(const Ask& ask);
  void forget(const std::string& ask) { lines_.erase(ask); }
  void clear();

 private:
  bool are_wanted_;
  bool are_hooks_asked_;
  std::map<std::string, Bytes> lines_;     // by the ids of held asks; let their calls go on
  std::map<std::string, Answer> answers_;  // by call
};

}  // namespace engines
