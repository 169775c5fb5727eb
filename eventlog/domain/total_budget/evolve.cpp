// Folds what the sessions of all agents spend. Log time never goes back, so only the last day is
// kept.
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/session/spending.hpp"

namespace domain {
namespace {

bool apply(TotalBudgetState& s, const Envelope& envelope, const TotalSpent& e) {
  if (!e.session.is_set() || e.cost.value < 0) return false;
  const NanoUsd before = spent_on_day(s, envelope.log_time);
  s.day = day_start(envelope.log_time);
  s.spent = before;
  add_bounded(s.spent.value, e.cost.value);
  return true;
}

}  // namespace

NanoUsd spent_on_day(const TotalBudgetState& state, Time moment) {
  return state.day == day_start(moment) ? state.spent : NanoUsd{};
}

void evolve(TotalBudgetState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<TotalBudgetEvents>(state, envelope, event,
                                  [&](const auto& fact) { return apply(state, envelope, fact); });
}

}  // namespace domain
