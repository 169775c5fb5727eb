// The state of an agent's budget: what its sessions have spent on the last two days on which they
// did, and over all days. Days are those of the wall clock, which can be set back.
#pragma once

#include <map>

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/budget/events.hpp"
#include "eventlog/domain/budget/spent_days.hpp"

namespace domain {

struct BudgetState {
  Time day;               // its start, in UTC
  NanoUsd spent;          // on that day
  NanoUsd total;          // since a server has had a limit for the agent
  Time other_day{};       // the one before it on which there was spending; 0: none
  NanoUsd other_spent{};  // on that one
  // Until when the provider takes nothing more from an engine's agents, in wall time.
  base::Sparse<std::map<std::string, Time>> limited{};
  Position inconsistent;

  bool operator==(const BudgetState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("day", &BudgetState::day);
    visit("spent", &BudgetState::spent);
    visit("total", &BudgetState::total);
    visit("other_day", &BudgetState::other_day);
    visit("other_spent", &BudgetState::other_spent);
    visit("limited", &BudgetState::limited);
    visit("inconsistent", &BudgetState::inconsistent);
  }
};

// Returns until when the engine's agents are limited, in wall time; 0: they are not.
Time limited_until(const BudgetState& state, const std::string& engine);

void evolve(BudgetState& state, const Envelope& envelope, const Event& event);

}  // namespace domain
