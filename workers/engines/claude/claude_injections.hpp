// The prompts that were added to a turn under way. The agent takes such a prompt in with what it
// does, and one result answers both. Or it answers the prompt in a run of its own, behind the
// result of the turn: that result is held until no prompt waits.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "eventlog/domain/session/commands.hpp"

namespace engines {

class ClaudeInjections {
 public:
  // Silence behind a held result tells that it answers the prompts that are left. Versions that
  // name prompts are not expected to need that, and are given more time.
  static constexpr base::Duration kSilence{5'000'000};
  static constexpr base::Duration kNamedSilence{60'000'000};

  // The prompt was written to the agent. Its id is not the turn's.
  void add(base::TurnId prompt);
  // The prompt added last was not written after all.
  void take_back();
  bool contains(base::TurnId prompt) const { return prompts_.contains(prompt); }
  std::size_t count() const { return prompts_.size(); }
  // The prompt was answered, or will not be.
  void settle(base::TurnId prompt);
  bool are_waiting() const { return !waiting_.empty(); }

  bool is_holding() const { return held_.has_value(); }
  // The result answers the turn's prompt. What it tells to be spent must have been reported.
  void hold(domain::ReportTurnResult result);
  // A result that names no prompt came behind the held one: it answers the prompt that has waited
  // for the longest time.
  void settle_first();
  // Returns the held result, or `last` with what the held one adds to it.
  domain::ReportTurnResult take();
  domain::ReportTurnResult take_with(domain::ReportTurnResult last);

 private:
  std::set<base::TurnId> prompts_;
  std::vector<base::TurnId> waiting_;  // of these, in the order of their writing
  std::optional<domain::ReportTurnResult> held_;
};

}  // namespace engines
