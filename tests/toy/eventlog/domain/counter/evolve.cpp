// Folds a counter. TOY_LACKS_AN_APPLY leaves one event out, to prove that this does not compile.
#include "eventlog/domain/counter/state.hpp"

#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

bool apply(CounterState& s, const Envelope& envelope, const CounterRaised& e) {
  s.value += e.by;
  s.raised = envelope.position;
  return true;
}

#ifndef TOY_LACKS_AN_APPLY
bool apply(CounterState& s, const Envelope&, const CounterReset&) {
  if (s.value == 0) return false;
  s.value = 0;
  return true;
}
#endif

}  // namespace

void evolve(CounterState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<CounterEvents>(state, envelope, event,
                              [&](const auto& fact) { return apply(state, envelope, fact); });
  if (!is_remembered(envelope)) return;
  state.commands.remember({envelope.command, envelope.command_digest, envelope.position});
}

std::optional<AcceptedCommand> known_command(const CounterState& state, const CommandId& command) {
  return state.commands.find(command);
}

}  // namespace domain
