// Folds the events of an agent's registry. A name, or an agent's own session, is held by one
// session at a time and released only by its holder.
#include "eventlog/domain/registry/state.hpp"

#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

bool apply(RegistryState& s, const Envelope&, const NameClaimed& e) {
  if (s.names.contains(e.name)) return false;
  if (!e.agent_session.empty() && s.agent_sessions.contains(e.agent_session)) return false;
  if (!e.name.empty()) s.names.emplace(e.name, e.session);
  if (!e.agent_session.empty()) s.agent_sessions.emplace(e.agent_session, e.session);
  return true;
}

bool apply(RegistryState& s, const Envelope&, const NameReleased& e) {
  const auto held = s.names.find(e.name);
  if (held == s.names.end() || held->second != e.session) return false;
  s.names.erase(held);
  return true;
}

bool apply(RegistryState& s, const Envelope&, const AgentSessionReleased& e) {
  const auto held = s.agent_sessions.find(e.agent_session);
  if (held == s.agent_sessions.end() || held->second != e.session) return false;
  s.agent_sessions.erase(held);
  return true;
}

}  // namespace

void evolve(RegistryState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<RegistryEvents>(state, envelope, event,
                               [&](const auto& fact) { return apply(state, envelope, fact); });
}

}  // namespace domain
