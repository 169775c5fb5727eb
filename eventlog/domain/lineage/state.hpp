// The state of a lineage: a session with all that resume or fork it, and their resumes and forks.
#pragma once

#include <optional>
#include <vector>

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/lineage/events.hpp"

namespace domain {

// The running total of one of the agent's own sessions. Every session that resumes it goes on with
// that total.
struct AgentTotal {
  std::string agent_session;
  NanoUsd total;

  bool operator==(const AgentTotal&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent_session", &AgentTotal::agent_session);
    visit("total", &AgentTotal::total);
  }
};

// The agent's sessions whose totals are remembered; the one that changed longest ago goes first.
constexpr std::size_t kAgentTotalsMax = 64;

struct LineageState {
  bool has_begun = false;  // lineages of earlier releases have not, until one of them spends
  NanoUsd spent;
  std::vector<AgentTotal> totals;  // the last one changed last
  Position inconsistent;

  bool operator==(const LineageState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("begun", &LineageState::has_begun);
    visit("spent", &LineageState::spent);
    visit("totals", &LineageState::totals);
    visit("inconsistent", &LineageState::inconsistent);
  }
};

// Returns none if it is not known.
std::optional<NanoUsd> total_of(const LineageState& state, std::string_view agent_session);

void evolve(LineageState& state, const Envelope& envelope, const Event& event);

}  // namespace domain
