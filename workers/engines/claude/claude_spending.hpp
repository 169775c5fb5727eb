// Adds up what Claude Code spends. While it works, its frames tell the use of each call of the
// model, which is told on once the call has ended. A result tells the use of all calls since the
// result before, whoever made them, and that figure replaces what was added up until then.
//
// Sources: the recordings in tests/golden/claude-*, each held against what the model's server had
// charged.
#pragma once

#include <optional>
#include <string>

#include "eventlog/base/expiring_map.hpp"
#include "eventlog/domain/spending.hpp"
#include "workers/engines/claude/claude_frames.hpp"
#include "workers/engines/prices.hpp"

namespace engines {

// A call that has ended is told at once, so that the end of a worker loses none. An agent with many
// subagents can end many in a second; it tells them in batches then, at this distance.
constexpr base::Duration kSpendingPace = std::chrono::milliseconds(100);
// What is known of a call that has not ended is told at most so long after it was seen.
constexpr base::Duration kSpendingInterval = std::chrono::seconds(10);

class ClaudeSpending {
 public:
  // The table must outlive this object.
  explicit ClaudeSpending(const PriceTable& prices) : prices_(prices) {}

  struct Told {
    domain::Spending spent;  // that was not told before
    domain::CostBasis basis = domain::CostBasis::reported;
    base::NanoUsd claimed;  // the agent's own figure for it; 0: it gave none
    base::NanoUsd base{
        -1};  // the total with which the process began; -1: not known, or told before
  };

  // The agent itself has begun a call of the model.
  void on_call(const ModelCall& call, base::Time now);
  // More is known of the use of that call.
  void on_call_usage(const CallUsage& usage, base::Time now);
  // A subagent's message; each of its frames repeats the call.
  void on_subagent_call(const std::string& parent, const ModelCall& call, base::Time now);
  // `is_shared`: more than one turn can have a part in it.
  Told on_result(const ResultFrame& frame, bool is_shared);
  // The agent's totals begin again at zero.
  void on_reset();

  // Set while something was seen that is not told.
  std::optional<base::Time> deadline() const { return deadline_; }
  // Returns what was seen and is not told, if that is due; empty: nothing is.
  domain::Spending take_due(base::Time now);
  // Likewise, due or not.
  domain::Spending take_rest();

 private:
  void note(base::Time now, bool has_ended);
  domain::ModelSpending priced(const std::string& model, const domain::Usage& usage) const;
  domain::Spending priced(const std::vector<ModelClaim>& claims) const;
  void see(const std::string& model, const domain::Usage& usage);
  domain::Spending since_last(const ResultFrame& frame);
  // True if the call that streams has not told all that it used.
  bool is_unfinished() const { return !call_.model.empty() && !has_all_usage_; }

  const PriceTable& prices_;
  domain::Spending seen_;        // since the last result, in calls that are over
  domain::Spending told_;        // likewise
  ModelCall call_;               // the agent's own that is under way; without a model: none is
  bool has_all_usage_ = false;   // of that call
  bool has_broken_off_ = false;  // a call since the last result never told it; the agent guesses
  std::optional<base::Time> deadline_;
  std::optional<base::Time> told_at_;
  base::ExpiringMap<std::string, std::string> subagent_calls_{1'000};  // the last one of each
  std::vector<ModelClaim> totals_;                                     // of the last result
  base::NanoUsd total_;                                                // likewise
  base::TurnId result_;                                                // its id
  bool has_result_ = false;
};

}  // namespace engines
