// state + event → state. Total: a stored fact cannot be argued with, so an event that is impossible
// in a state marks the state inconsistent at that position and changes nothing else.
#pragma once

#include "eventlog/facts/state.hpp"

namespace session {

// The empty state of a stream of that name; none when the name is of no known kind.
std::optional<StreamState> initial_state(std::string_view stream);

// Folds the event into the state of its stream. Reads envelope and facts only, never content.
void evolve(StreamState& state, const Envelope& envelope, const Event& event);
void evolve(SessionState& state, const Envelope& envelope, const Event& event);
void evolve(LeaseState& state, const Envelope& envelope, const Event& event);
void evolve(RegistryState& state, const Envelope& envelope, const Event& event);
void evolve(AdmissionState& state, const Envelope& envelope, const Event& event);
void evolve(ServerState& state, const Envelope& envelope, const Event& event);

}  // namespace session
