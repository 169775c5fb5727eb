// The state of an agent's budget: what its sessions have spent on the last day on which they did.
#pragma once

#include <map>

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/budget/events.hpp"

namespace domain {

struct BudgetState {
  Time day;       // its start, in UTC and log time
  NanoUsd spent;  // on that day
  // Until when the provider takes nothing more from an engine's agents, in wall time.
  base::Sparse<std::map<std::string, Time>> limited{};
  Position inconsistent;

  bool operator==(const BudgetState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("day", &BudgetState::day);
    visit("spent", &BudgetState::spent);
    visit("limited", &BudgetState::limited);
    visit("inconsistent", &BudgetState::inconsistent);
  }
};

// Return the start of the moment's day in UTC, and its end.
Time day_start(Time moment);
Time day_end(Time moment);

// Returns what was spent on the day of that moment, which is not before the last event.
NanoUsd spent_on_day(const BudgetState& state, Time moment);

// Returns until when the engine's agents are limited, in wall time; 0: they are not.
Time limited_until(const BudgetState& state, const std::string& engine);

void evolve(BudgetState& state, const Envelope& envelope, const Event& event);

}  // namespace domain
