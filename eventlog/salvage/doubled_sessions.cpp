// Ends a session as the loss of its worker does: nobody can say whose agent said what.
#include "eventlog/salvage/doubled_sessions.hpp"

#include "eventlog/domain/evolve.hpp"

namespace eventlog {
namespace {

using domain::EndReason;
using Mending = std::vector<std::pair<std::string, domain::Event>>;

void end_session(const std::string& stream, const domain::SessionState& s, Mending& mending) {
  const auto interrupt = [&](base::TurnId turn, EndReason reason) {
    mending.emplace_back(stream, domain::TurnInterrupted{turn, reason, {}});
  };
  if (s.turn) interrupt(s.turn->turn, EndReason::worker_lost);
  if (s.own_turn.is_set()) interrupt(s.own_turn, EndReason::worker_lost);
  for (const domain::QueuedTurn& queued : s.queue) interrupt(queued.turn, EndReason::session_ended);
  if (s.lease) mending.emplace_back(stream, domain::LeaseExpired{s.lease->token});
  if (!domain::is_live(s.status)) return;
  mending.emplace_back(
      stream, domain::SessionClosed{domain::SessionStatus::failed, EndReason::worker_lost});
}

void release(const std::string& stream, const domain::RegistryState& registry, base::SessionId id,
             Mending& mending) {
  for (const auto& [name, holder] : registry.names) {
    if (holder == id) mending.emplace_back(stream, domain::NameReleased{id, name});
  }
  for (const auto& [agent_session, holder] : registry.agent_sessions) {
    if (holder == id) mending.emplace_back(stream, domain::AgentSessionReleased{id, agent_session});
  }
}

}  // namespace

void DoubledSessions::note(const std::string& stream) {
  const auto ref = domain::parse_stream(stream);
  if (!ref || !ref->is<domain::SessionStream>()) return;
  const auto [first, is_new] = seen_.emplace(ref->id, ref->agent);
  if (!is_new && first->second != ref->agent) agents_[ref->id].insert({first->second, ref->agent});
}

void DoubledSessions::fold(const domain::RecordedEvent& event) {
  const std::string& stream = event.envelope.stream;
  const auto ref = domain::parse_stream(stream);
  if (!ref) return;
  const bool is_needed = ref->is<domain::AdmissionStream>() || ref->is<domain::RegistryStream>() ||
                         (ref->is<domain::SessionStream>() && agents_.contains(ref->id));
  if (!is_needed) return;
  const auto found = states_.try_emplace(stream, *domain::initial_state(stream)).first;
  domain::evolve(found->second, event.envelope, event.event);
}

template <class Aggregate>
const typename Aggregate::State* DoubledSessions::find(const std::string& stream) const {
  const auto found = states_.find(stream);
  return found == states_.end() ? nullptr : std::get_if<typename Aggregate::State>(&found->second);
}

std::vector<base::SessionId> DoubledSessions::sessions() const {
  std::vector<base::SessionId> all;
  for (const auto& [id, agents] : agents_) all.push_back(id);
  return all;
}

Mending DoubledSessions::mending() const {
  const std::string admission(domain::kAdmissionStream);
  const auto* admitted = find<domain::AdmissionStream>(admission);
  Mending mending;
  if (admitted == nullptr || admitted->inconsistent.value == 0 || !has_any()) return mending;
  for (const auto& [id, agents] : agents_) {
    for (const std::string& agent : agents) {
      const std::string stream = domain::session_stream(agent, id);
      const auto* session = find<domain::SessionStream>(stream);
      const bool is_whole = session != nullptr && session->inconsistent.value == 0;
      if (is_whole && domain::is_under_way(*session)) end_session(stream, *session, mending);
      const std::string registry = domain::registry_stream(agent);
      const auto* names = find<domain::RegistryStream>(registry);
      if (names != nullptr) release(registry, *names, id, mending);
    }
  }
  mending.emplace_back(admission, domain::AdmissionMended{sessions()});
  return mending;
}

}  // namespace eventlog
