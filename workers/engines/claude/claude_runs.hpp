// Which turn the lines of Claude Code belong to. A run is the agent's work from an init frame to
// the next result. Most runs answer one prompt. Some answer several, which the agent took in
// together. Some answer none: they are turns of the agent's own.
//
// The rules are those that name every result in the recordings (tests/golden/claude-*).
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "eventlog/base/expiring_map.hpp"
#include "workers/engines/claude/claude_frames.hpp"

namespace engines {

class ClaudeRuns {
 public:
  // Tool calls whose turn is remembered; subagents that work in the background name them later.
  static constexpr std::size_t kCallsMax = 10'000;
  static constexpr std::size_t kCallBytesMax = 256;  // a call with a longer id is not remembered

  struct Ended {
    base::TurnId turn;  // of several that the result answers, the last one that waits for it
    std::optional<domain::ReportOwnTurnStarted> own;  // set if it is a turn of the agent's own
    std::size_t prompts = 0;                          // that the result answers
  };

  // The prompt was written to the agent.
  void on_prompt(base::TurnId turn);
  void on_init(const InitFrame& frame);
  // True if a prompt joins a run that is the agent's own until then.
  bool joins_own(const PromptLifecycle& frame) const;
  void on_lifecycle(const PromptLifecycle& frame);
  // The next run is of the agent's own: it goes on with what an earlier process has left.
  void on_left_over() { is_wake_up_ = true; }
  void on_task_ended(const TaskEnded& frame, base::Time now);
  // Ends the run.
  Ended on_result(const ResultFrame& frame);
  void on_call(const std::string& call, base::TurnId turn, base::Time now);

  // Returns the turn that the agent works on; between two runs, the one that it worked on last.
  base::TurnId turn() const { return turn_; }
  // True once this version of the agent was seen to name prompts, as all do that tell their tasks.
  bool names_prompts() const { return names_prompts_; }
  // Set while the agent works on a turn of its own.
  const std::optional<domain::ReportOwnTurnStarted>& own() const { return own_; }
  // Returns the turn in which that call was made; none if it is not known.
  std::optional<base::TurnId> turn_of_call(const std::string& call, base::Time now);
  // True if the agent has begun with the prompt and has not answered it.
  bool is_begun(base::TurnId prompt) const { return begun_.contains(prompt); }

 private:
  bool is_waiting(base::TurnId prompt) const;
  std::optional<base::TurnId> last_waiting_of(const std::vector<base::TurnId>& prompts) const;
  void answer(base::TurnId prompt);
  domain::ReportOwnTurnStarted own_turn(base::TurnId turn) const;

  std::vector<base::TurnId> waiting_;  // prompts without an answer, in the order of their writing
  std::set<base::TurnId> begun_;       // of these, those that the agent has begun with
  base::TurnId turn_;
  std::optional<domain::ReportOwnTurnStarted> own_;
  bool has_init_ = false;                // since the last result
  bool is_wake_up_ = false;              // likewise: a wake-up began this run
  bool names_prompts_ = false;           // this version of the agent does
  std::optional<TaskEnded> ended_task_;  // the last one, until an own turn was made of it
  base::TurnId ended_task_turn_;         // the turn that had started it; unset: not known
  base::ExpiringMap<std::string, base::TurnId> calls_{kCallsMax};
};

}  // namespace engines
