// Folds what an agent's sessions spend: the sum of all, and two days; and how they are limited.
#include "eventlog/domain/budget/state.hpp"

#include "eventlog/domain/budget/spent_days.hpp"
#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

constexpr std::int64_t kDayUs = 86'400'000'000;

bool apply(BudgetState& s, const Envelope& envelope, const AgentSpent& e) {
  if (!e.session.is_set() || e.cost.value < 0) return false;
  spend_on_day(s, envelope.wall_time, e.cost);
  if (e.total.value != 0) s.total = e.total;
  return true;
}

bool apply(BudgetState& s, const Envelope&, const UsageLimitSet& e) {
  if (!e.session.is_set() || e.engine.empty() || e.until.us < 0) return false;
  if (e.until.us == 0) {
    s.limited.edit().erase(e.engine);
  } else {
    s.limited.edit()[e.engine] = e.until;
  }
  if (s.limited->empty()) s.limited.reset();
  return true;
}

}  // namespace

Time limited_until(const BudgetState& state, const std::string& engine) {
  const auto known = state.limited->find(engine);
  return known == state.limited->end() ? Time{} : known->second;
}

Time day_start(Time moment) {
  const std::int64_t into = moment.us % kDayUs;
  return {moment.us - (into < 0 ? into + kDayUs : into)};
}

Time day_end(Time moment) {
  return {day_start(moment).us + kDayUs};
}

void evolve(BudgetState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<BudgetEvents>(state, envelope, event,
                             [&](const auto& fact) { return apply(state, envelope, fact); });
}

}  // namespace domain
