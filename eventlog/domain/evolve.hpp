// state + event → state. Total, because a stored fact cannot be argued with. An event that is
// impossible in a state marks the state inconsistent at that position and changes nothing else.
#pragma once

#include "eventlog/domain/recorded_event.hpp"

namespace domain {

// Returns the empty state of a stream of that name; none if no aggregate has such names.
std::optional<StreamState> initial_state(std::string_view stream);

// Folds the event into the state of its stream. Reads only envelope and facts, never content.
void evolve(StreamState& state, const Envelope& envelope, const Event& event);

// Returns the position of the first event that is impossible in the state; 0 if none is.
Position inconsistency(const StreamState& state);

// Returns `apply(fact)` for an event of `Events`, and false for any other event. `apply` returns
// false for an impossible fact, and must then have changed nothing. It must take each event of
// `Events`, or it does not compile.
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

// As fold_own, but marks the state if the event is impossible.
template <class Events, class State, class Apply>
void fold_or_mark(State& state, const Envelope& envelope, const Event& event, Apply&& apply) {
  const bool is_possible = fold_own<Events>(event, apply);
  if (!is_possible && state.inconsistent.value == 0) state.inconsistent = envelope.position;
}

}  // namespace domain
