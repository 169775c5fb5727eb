// The state of an agent's registry.
#pragma once

#include <map>

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/registry/events.hpp"

namespace domain {

// Given names of the agent's live sessions, and the agent's own sessions that are being resumed.
// Each of the latter is held by one session until the agent process that continues it has ended.
struct RegistryState {
  std::map<std::string, SessionId> names;
  std::map<std::string, SessionId> agent_sessions;
  Position inconsistent;

  bool operator==(const RegistryState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("names", &RegistryState::names);
    visit("agent_sessions", &RegistryState::agent_sessions);
    visit("inconsistent", &RegistryState::inconsistent);
  }
};

void evolve(RegistryState& state, const Envelope& envelope, const Event& event);

}  // namespace domain
