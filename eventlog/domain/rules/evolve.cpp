// Folds the facts of rules.
#include "eventlog/domain/rules/state.hpp"

#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

bool apply(RulesState& s, const Envelope& envelope, const RuleAdded& e) {
  if (e.rule != s.added + 1) return false;
  s.added = e.rule;
  s.rules[e.rule] = {e.rule,    e.agent,        e.session,         e.pattern,
                     e.verdict, envelope.actor, envelope.wall_time};
  return true;
}

bool apply(RulesState& s, const Envelope&, const RuleRemoved& e) {
  return s.rules.erase(e.rule) == 1;
}

}  // namespace

void evolve(RulesState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<RulesEvents>(state, envelope, event,
                            [&](const auto& fact) { return apply(state, envelope, fact); });
  if (is_remembered(envelope)) remember(state.requests, envelope);
}

std::optional<AcceptedCommand> known_command(const RulesState& state, const CommandId& command) {
  return find_request(state.requests, command);
}

}  // namespace domain
