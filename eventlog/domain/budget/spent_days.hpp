// The spending of the last two days that had any. Days are those of the wall clock in UTC. A clock
// that is set back over midnight finds what was spent on the day before.
#pragma once

#include <utility>

#include "eventlog/domain/spending.hpp"

namespace domain {

// Return the start of the moment's day in UTC, and its end.
Time day_start(Time moment);
Time day_end(Time moment);

// Adds to what `state` knows of the moment's day. Its fields are `day`, `spent`, and `other_day`
// and `other_spent` of the day before.
template <class State>
void spend_on_day(State& state, Time moment, NanoUsd cost) {
  const Time day = day_start(moment);
  if (day != state.day) {
    std::swap(state.day, state.other_day);
    std::swap(state.spent, state.other_spent);
  }
  if (day != state.day) {
    state.day = day;
    state.spent = {};
  }
  add_bounded(state.spent.value, cost.value);
}

// Returns what was spent on the day of that moment, as far as the state has it.
template <class State>
NanoUsd spent_on_day(const State& state, Time moment) {
  const Time day = day_start(moment);
  if (state.day == day) return state.spent;
  return state.other_day == day ? state.other_spent : NanoUsd{};
}

}  // namespace domain
