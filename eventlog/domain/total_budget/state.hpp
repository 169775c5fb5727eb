// The state of the budget of all agents: what their sessions have spent on the last day on which
// they did.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/total_budget/events.hpp"

namespace domain {

struct TotalBudgetState {
  Time day;       // its start, in UTC and log time
  NanoUsd spent;  // on that day
  Position inconsistent;

  bool operator==(const TotalBudgetState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("day", &TotalBudgetState::day);
    visit("spent", &TotalBudgetState::spent);
    visit("inconsistent", &TotalBudgetState::inconsistent);
  }
};

// Returns what was spent on the day of that moment, which is not before the last event.
NanoUsd spent_on_day(const TotalBudgetState& state, Time moment);

void evolve(TotalBudgetState& state, const Envelope& envelope, const Event& event);

}  // namespace domain
