// Two results of one turn become one: the later one ends it, and both are counted.
#include "workers/engines/claude/claude_injections.hpp"

#include <algorithm>
#include <utility>

#include "eventlog/domain/spending.hpp"

namespace engines {

void ClaudeInjections::add(base::TurnId prompt) {
  if (prompts_.insert(prompt).second) waiting_.push_back(prompt);
}

void ClaudeInjections::take_back() {
  if (!waiting_.empty()) waiting_.pop_back();
}

void ClaudeInjections::settle(base::TurnId prompt) {
  std::erase(waiting_, prompt);
}

void ClaudeInjections::settle_first() {
  if (!waiting_.empty()) waiting_.erase(waiting_.begin());
}

void ClaudeInjections::hold(domain::ReportTurnResult result) {
  held_ = held_ ? take_with(std::move(result)) : std::move(result);
}

domain::ReportTurnResult ClaudeInjections::take() {
  return *std::exchange(held_, std::nullopt);
}

domain::ReportTurnResult ClaudeInjections::take_with(domain::ReportTurnResult last) {
  const domain::ReportTurnResult first = take();
  domain::add(last.usage, first.usage);
  domain::add_bounded(last.claimed.value, first.claimed.value);
  domain::add_bounded(last.model_calls, first.model_calls);
  std::int64_t took = last.took.count();
  domain::add_bounded(took, first.took.count());
  last.took = base::Duration{took};
  last.basis = std::max(last.basis, first.basis);
  if (first.agent_base.value >= 0) last.agent_base = first.agent_base;
  if (last.text.empty()) last.text = first.text;
  return last;
}

}  // namespace engines
