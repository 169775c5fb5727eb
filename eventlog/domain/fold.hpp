// Each aggregate folds its events with these: state + event → state. A fold is total, because a
// stored fact cannot be argued with. An event that is impossible in a state marks the state
// inconsistent at that position and changes nothing else.
#pragma once

#include "eventlog/domain/recorded_event.hpp"

namespace domain {

// Returns `apply(fact)` for an event of `Events`, and false for any other event. `apply` returns
// false for an impossible fact, and must then have changed nothing. It must take each event of
// `Events`, or it does not compile.
template <class Events, class Apply>
bool fold_own(const Event& event, Apply&& apply) {
  bool is_possible = false;
  use_one_of(Events{}, event, [&](const auto& fact) { is_possible = apply(fact); });
  return is_possible;
}

// As fold_own, but marks the state if the event is impossible.
template <class Events, class State, class Apply>
void fold_or_mark(State& state, const Envelope& envelope, const Event& event, Apply&& apply) {
  const bool is_possible = fold_own<Events>(event, apply);
  if (!is_possible && state.inconsistent.value == 0) state.inconsistent = envelope.position;
}

}  // namespace domain
