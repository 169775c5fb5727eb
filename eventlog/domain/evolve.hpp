// The fold of any stream, whichever aggregate it belongs to.
#pragma once

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/recorded_event.hpp"

namespace domain {

// Returns the empty state of a stream of that name; none if no aggregate has such names.
std::optional<StreamState> initial_state(std::string_view stream);

// Folds the event into the state of its stream. Reads only envelope and facts, never content.
void evolve(StreamState& state, const Envelope& envelope, const Event& event);

// Returns the position of the first event that is impossible in the state; 0 if none is.
Position inconsistency(const StreamState& state);

}  // namespace domain
