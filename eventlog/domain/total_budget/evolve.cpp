// Folds what the sessions of all agents spend.
#include "eventlog/domain/total_budget/state.hpp"

#include "eventlog/domain/budget/spent_days.hpp"
#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

bool apply(TotalBudgetState& s, const Envelope& envelope, const TotalSpent& e) {
  if (!e.session.is_set() || e.cost.value < 0) return false;
  spend_on_day(s, envelope.wall_time, e.cost);
  return true;
}

}  // namespace

void evolve(TotalBudgetState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<TotalBudgetEvents>(state, envelope, event,
                                  [&](const auto& fact) { return apply(state, envelope, fact); });
}

}  // namespace domain
