// Folds the events of a lineage.
#include <algorithm>

#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/session/spending.hpp"

namespace domain {
namespace {

// Puts `latest` last in the place of what the list has of the same agent session.
template <class Entry>
void put_last(std::vector<Entry>& list, Entry latest) {
  std::erase_if(list,
                [&](const Entry& other) { return other.agent_session == latest.agent_session; });
  list.push_back(std::move(latest));
  if (list.size() > kAgentSessionsMax) list.erase(list.begin());
}

template <class Entry>
const Entry* find_in(const std::vector<Entry>& list, std::string_view agent_session) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Entry& entry) {
    return entry.agent_session == agent_session;
  });
  return found == list.end() ? nullptr : &*found;
}

bool apply(LineageState& s, const Envelope&, const LineageSpent& e) {
  if (!e.session.is_set() || e.cost.value < 0) return false;
  s.has_begun = true;
  add_bounded(s.spent.value, e.cost.value);
  std::optional<NanoUsd> total = total_of(s, e.agent_session);
  if (total) add_bounded(total->value, e.cost.value);
  if (e.agent_total.value != 0) total = e.agent_total;
  if (e.agent_session.empty() || !total) return true;
  put_last(s.totals, {e.agent_session, *total});
  return true;
}

bool apply(LineageState& s, const Envelope&, const AgentSessionContinued& e) {
  if (!e.session.is_set() || e.agent_session.empty()) return false;
  put_last(s.continuations, {e.agent_session, e.session});
  return true;
}

}  // namespace

std::optional<NanoUsd> total_of(const LineageState& state, std::string_view agent_session) {
  const AgentTotal* found = find_in(state.totals, agent_session);
  return found == nullptr ? std::nullopt : std::optional(found->total);
}

SessionId continued_by(const LineageState& state, std::string_view agent_session) {
  const Continuation* found = find_in(state.continuations, agent_session);
  return found == nullptr ? SessionId{} : found->session;
}

void evolve(LineageState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<LineageEvents>(state, envelope, event,
                              [&](const auto& fact) { return apply(state, envelope, fact); });
}

}  // namespace domain
