// state + event → state. Total: a stored fact cannot be argued with, so an event that is impossible
// in a state marks the state inconsistent at that position and changes nothing else.
#pragma once

#include "eventlog/domain/recorded_event.hpp"

namespace domain {

// The empty state of a stream of that name; none when the name is of no known kind.
std::optional<StreamState> initial_state(std::string_view stream);

// Folds the event into the state of its stream. Reads envelope and facts only, never content.
void evolve(StreamState& state, const Envelope& envelope, const Event& event);

// Position of the first event that is impossible in the state; 0: none is.
Position inconsistency(const StreamState& state);

// `apply(fact)` says whether the fact is possible, having changed nothing where it is not. It must
// take each event of `Events`, or it does not compile. Any other event is impossible.
template <class Events, class Apply>
bool fold_own(const Event& event, Apply&& apply) {
  return std::visit(
      [&]<class Fact>(const Fact& fact) -> bool {
        if constexpr (base::kContains<Fact, Events>) {
          return apply(fact);
        } else {
          return false;
        }
      },
      event);
}

// As fold_own, and marks the state where the event is impossible.
template <class Events, class State, class Apply>
void fold_or_mark(State& state, const Envelope& envelope, const Event& event, Apply&& apply) {
  const bool is_possible = fold_own<Events>(event, apply);
  if (!is_possible && state.inconsistent.value == 0) state.inconsistent = envelope.position;
}

}  // namespace domain
