// Folds the events of a lineage.
#include "eventlog/domain/lineage/state.hpp"

#include <algorithm>

#include "eventlog/domain/fold.hpp"
#include "eventlog/domain/spending.hpp"

namespace domain {
namespace {

bool apply(LineageState& s, const Envelope&, const LineageSpent& e) {
  if (!e.session.is_set() || e.cost.value < 0) return false;
  s.has_begun = true;
  add_bounded(s.spent.value, e.cost.value);
  s.basis = std::max(s.basis, e.basis);
  std::optional<NanoUsd> total = total_of(s, e.agent_session);
  if (!total && e.has_begun_it) total = NanoUsd{};
  if (total) add_bounded(total->value, e.cost.value);
  if (e.agent_total.value != 0) total = e.agent_total;
  if (e.agent_session.empty() || !total) return true;
  std::erase_if(s.totals,
                [&](const AgentTotal& other) { return other.agent_session == e.agent_session; });
  s.totals.push_back({e.agent_session, *total});
  if (s.totals.size() > kAgentTotalsMax) s.totals.erase(s.totals.begin());
  return true;
}

void forget(LineageState& s, SessionId session) {
  std::erase_if(s.reserved, [&](const Reservation& one) { return one.session == session; });
}

bool apply(LineageState& s, const Envelope&, const LineageReserved& e) {
  if (!e.session.is_set()) return false;
  forget(s, e.session);
  s.reserved.push_back({e.session, e.budget, e.reserved});
  if (s.reserved.size() > kReservationsMax) s.reserved.erase(s.reserved.begin());
  return true;
}

bool apply(LineageState& s, const Envelope&, const LineageFreed& e) {
  if (!e.session.is_set()) return false;
  forget(s, e.session);
  return true;
}

}  // namespace

std::optional<NanoUsd> total_of(const LineageState& state, std::string_view agent_session) {
  const auto found =
      std::find_if(state.totals.begin(), state.totals.end(),
                   [&](const AgentTotal& total) { return total.agent_session == agent_session; });
  return found == state.totals.end() ? std::nullopt : std::optional(found->total);
}

void evolve(LineageState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<LineageEvents>(state, envelope, event,
                              [&](const auto& fact) { return apply(state, envelope, fact); });
}

}  // namespace domain
