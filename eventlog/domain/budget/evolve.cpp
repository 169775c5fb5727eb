// Folds what an agent's sessions spend. Two days are kept: a clock that is set back over midnight
// finds what was spent on the day before.
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/session/spending.hpp"

namespace domain {
namespace {

constexpr std::int64_t kDayUs = 86'400'000'000;

bool apply(BudgetState& s, const Envelope& envelope, const AgentSpent& e) {
  if (!e.session.is_set() || e.cost.value < 0) return false;
  const Time day = day_start(envelope.wall_time);
  if (day != s.day) {
    std::swap(s.day, s.other_day);
    std::swap(s.spent, s.other_spent);
    if (day != s.day) {
      s.day = day;
      s.spent = {};
    }
  }
  add_bounded(s.spent.value, e.cost.value);
  return true;
}

}  // namespace

Time day_start(Time moment) {
  const std::int64_t into = moment.us % kDayUs;
  return {moment.us - (into < 0 ? into + kDayUs : into)};
}

Time day_end(Time moment) {
  return {day_start(moment).us + kDayUs};
}

NanoUsd spent_on_day(const BudgetState& state, Time moment) {
  const Time day = day_start(moment);
  if (state.day == day) return state.spent;
  return state.other_day == day ? state.other_spent : NanoUsd{};
}

void evolve(BudgetState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<BudgetEvents>(state, envelope, event,
                             [&](const auto& fact) { return apply(state, envelope, fact); });
}

}  // namespace domain
