// Folds what an agent's sessions spend. Log time never goes back, so only the last day is kept,
// beside the sum of all.
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/session/spending.hpp"

namespace domain {
namespace {

constexpr std::int64_t kDayUs = 86'400'000'000;

bool apply(BudgetState& s, const Envelope& envelope, const AgentSpent& e) {
  if (!e.session.is_set() || e.cost.value < 0) return false;
  const NanoUsd before = spent_on_day(s, envelope.log_time);
  s.day = day_start(envelope.log_time);
  s.spent = before;
  add_bounded(s.spent.value, e.cost.value);
  if (e.total.value != 0) s.total = e.total;
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
  return state.day == day_start(moment) ? state.spent : NanoUsd{};
}

void evolve(BudgetState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<BudgetEvents>(state, envelope, event,
                             [&](const auto& fact) { return apply(state, envelope, fact); });
}

}  // namespace domain
