// The state of the budget of all agents: what their sessions have spent on the last two days on
// which they did, see budget/spent_days.hpp.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/total_budget/events.hpp"

namespace domain {

struct TotalBudgetState {
  Time day;               // its start, in UTC
  NanoUsd spent;          // on that day
  Time other_day{};       // the one before it on which there was spending; 0: none
  NanoUsd other_spent{};  // on that one
  Position inconsistent;

  bool operator==(const TotalBudgetState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("day", &TotalBudgetState::day);
    visit("spent", &TotalBudgetState::spent);
    visit("other_day", &TotalBudgetState::other_day);
    visit("other_spent", &TotalBudgetState::other_spent);
    visit("inconsistent", &TotalBudgetState::inconsistent);
  }
};

void evolve(TotalBudgetState& state, const Envelope& envelope, const Event& event);

}  // namespace domain
