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

// A session that has an agent process, for which a part of the budget is reserved.
struct Reservation {
  SessionId session;
  NanoUsd budget;    // as LineageReserved has it
  NanoUsd reserved;  // likewise

  bool operator==(const Reservation&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &Reservation::session);
    visit("budget", &Reservation::budget);
    visit("reserved", &Reservation::reserved);
  }
};

// Sessions at work that are remembered. One beyond is not interrupted with the others when they
// have spent the budget, but when it tells of its next call.
constexpr std::size_t kReservationsMax = 64;

struct LineageState {
  bool has_begun = false;  // lineages of earlier releases have not, until one of them spends
  NanoUsd spent;
  CostBasis basis = CostBasis::totals;  // of the least certain part of it
  std::vector<Reservation> reserved;
  std::vector<AgentTotal> totals;  // the last one changed last
  Position inconsistent;

  bool operator==(const LineageState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("begun", &LineageState::has_begun);
    visit("spent", &LineageState::spent);
    visit("basis", &LineageState::basis);
    visit("reserved", &LineageState::reserved);
    visit("totals", &LineageState::totals);
    visit("inconsistent", &LineageState::inconsistent);
  }
};

// Returns none if it is not known.
std::optional<NanoUsd> total_of(const LineageState& state, std::string_view agent_session);

void evolve(LineageState& state, const Envelope& envelope, const Event& event);

}  // namespace domain
