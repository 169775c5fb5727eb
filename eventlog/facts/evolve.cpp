#include "eventlog/facts/evolve.hpp"

#include <algorithm>
#include <concepts>

#include "eventlog/base/mutant.hpp"
#include "eventlog/facts/alias.hpp"
#include "eventlog/facts/stream_name.hpp"

namespace session {
namespace {

// Each `apply` returns false when the event is impossible in the state, having changed nothing.
// The overload of last resort (any other event) is impossible everywhere. Those of `OfSession` are
// of the session's whole state and of what leases need of it alike.
template <class State>
concept OfSession = std::same_as<State, SessionState> || std::same_as<State, LeaseState>;

// A sum stays within what a snapshot can carry: its parts are an agent's word.
void add_bounded(std::int64_t& sum, std::int64_t part) {
  sum = std::clamp(sum + part, 1 - base::kIntegerLimit, base::kIntegerLimit - 1);
}

void add_cost(SessionState& s, const TurnCost& cost) {
  add_bounded(s.usage.input_tokens, cost.usage.input_tokens);
  if (base::mutant(base::Mutant::usage_counted_twice)) {
    add_bounded(s.usage.input_tokens, cost.usage.input_tokens);
  }
  add_bounded(s.usage.output_tokens, cost.usage.output_tokens);
  add_bounded(s.usage.cache_read_tokens, cost.usage.cache_read_tokens);
  add_bounded(s.usage.cache_creation_tokens, cost.usage.cache_creation_tokens);
  add_bounded(s.cost.value, cost.cost.value);
  if (cost.agent_total.value != 0) s.agent_total = cost.agent_total;
}
void add_cost(LeaseState&, const TurnCost&) {}

bool ends_turn(OfSession auto& s, TurnId turn, const TurnCost& cost) {
  if (!s.turn || s.turn->turn != turn) return false;
  s.turn.reset();
  add_cost(s, cost);
  return true;
}

bool has_lease(const OfSession auto& s, FencingToken token) {
  return s.lease && s.lease->token == token;
}

bool apply(SessionState& s, const Envelope& envelope, const SessionOpened& e) {
  if (s.status != SessionStatus::none) return false;
  s.status = SessionStatus::starting;
  s.session = e.session;
  s.agent = e.agent;
  s.name = e.name;
  s.alias = e.alias;
  s.spec = e.spec;
  s.lineage = e.lineage;
  s.opened = envelope.position;
  s.agent_total = e.carried_cost;
  return true;
}

bool apply(LeaseState& s, const Envelope& envelope, const SessionOpened&) {
  if (s.status != SessionStatus::none) return false;
  s.status = SessionStatus::starting;
  s.opened = envelope.position;
  return true;
}

bool apply(OfSession auto& s, const Envelope& envelope, const TurnQueued& e) {
  if (!is_live(s.status)) return false;
  const auto place = base::mutant(base::Mutant::queue_reversed) ? s.queue.begin() : s.queue.end();
  s.queue.insert(place, {e.turn, envelope.position, envelope.version});
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const SessionNamed& e) {
  if (s.status == SessionStatus::none || !s.name.empty() || s.made_name.position.value != 0) {
    return false;
  }
  s.made_name = {envelope.position, envelope.version, e.mark};
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const TurnStarted& e) {
  if (!is_live(s.status) || s.turn || s.queue.empty() || s.queue.front().turn != e.turn ||
      !has_lease(s, e.token)) {
    return false;
  }
  s.turn = CurrentTurn{e.turn, s.queue.front().prompt, s.queue.front().version, false};
  s.queue.erase(s.queue.begin());
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const InterruptRequested& e) {
  if (!s.turn || s.turn->turn != e.turn) return false;
  s.turn->is_interrupt_requested = true;
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const TurnFinished& e) {
  return ends_turn(s, e.turn, e.cost);
}

bool apply(OfSession auto& s, const Envelope&, const TurnFailed& e) {
  return ends_turn(s, e.turn, e.cost);
}

bool apply(OfSession auto& s, const Envelope&, const TurnInterrupted& e) {
  if (ends_turn(s, e.turn, e.cost)) return true;
  const auto queued = std::find_if(s.queue.begin(), s.queue.end(),
                                   [&](const QueuedTurn& q) { return q.turn == e.turn; });
  if (queued == s.queue.end()) return false;
  s.queue.erase(queued);
  return true;
}

bool apply(SessionState& s, const Envelope&, const OutputRecorded& e) {
  if (s.status == SessionStatus::none || e.block != s.blocks + 1) return false;
  s.blocks = e.block;
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const LeaseGranted& e) {
  if (!is_live(s.status) || s.lease || e.token <= s.last_token) return false;
  s.lease = Lease{e.worker, e.token, 0, e.resume_agent_session, 0, 0};
  s.last_token = e.token;
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const LeaseReleased& e) {
  if (!has_lease(s, e.token)) return false;
  s.lease.reset();
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const LeaseExpired& e) {
  if (!has_lease(s, e.token)) return false;
  s.lease.reset();
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const AgentStarted& e) {
  if (!s.lease) return false;
  s.lease->pid = e.pid;
  s.lease->start_ticks = e.start_ticks;
  return true;
}

void name_agent_session(SessionState& s, const std::string& agent_session) {
  s.agent_session = agent_session;
}
void name_agent_session(LeaseState&, const std::string&) {}

bool apply(OfSession auto& s, const Envelope&, const AgentInitialized& e) {
  if (s.status == SessionStatus::none) return false;
  if (s.status == SessionStatus::starting || base::mutant(base::Mutant::status_leaves_end)) {
    s.status = SessionStatus::running;
  }
  name_agent_session(s, e.agent_session);
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const CloseRequested&) {
  if (!is_live(s.status)) return false;
  s.is_close_requested = true;
  return true;
}

void name_end(SessionState& s, EndReason reason) {
  s.end_reason = reason;
}
void name_end(LeaseState&, EndReason) {}

bool apply(OfSession auto& s, const Envelope&, const SessionClosed& e) {
  if (!is_live(s.status) || !is_terminal(e.status) || s.turn || !s.queue.empty()) return false;
  s.status = e.status;
  name_end(s, e.reason);
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const ContentErased& e) {
  if (s.status == SessionStatus::none || !is_proper(e.events) ||
      e.events.back().last >= envelope.version) {
    return false;
  }
  s.erased = united(s.erased, e.events);
  s.erasure = envelope.version;
  return true;
}

bool apply(SessionState& s, const Envelope&, const ContentErasureCompleted& e) {
  if (e.through > s.erasure || e.through <= s.erasure_completed) return false;
  s.erasure_completed = e.through;
  return true;
}

// Facts that a session's state does not depend on beyond its being there.
bool exists(const SessionState& s) {
  return s.status != SessionStatus::none;
}
bool apply(SessionState& s, const Envelope&, const PartialOutputRecorded&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const ToolCallStarted&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const ToolCallFinished&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const AgentLineRecorded&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const ReportIgnored&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const NothingChanged&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const AgentStartFailed&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const AgentExited&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const SessionResumed&) {
  return exists(s);
}

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

bool apply(AdmissionState& s, const Envelope&, const SessionAdmitted& e) {
  const SessionId first = s.first.is_set() ? s.first : e.session;
  const auto number = alias_number(first, e.alias);
  const bool is_taken = (number && *number < s.next_alias) || s.aliases.contains(e.alias);
  if (is_taken || s.live.contains(e.session)) return false;
  if (!e.name.empty() && s.names.contains(e.name)) return false;
  if (e.name_mark != 0 && s.name_marks.contains(e.name_mark)) return false;
  s.first = first;
  s.live.emplace(e.session, e.agent);
  if (!e.name.empty()) s.names.emplace(e.name, NameHolder{e.session, e.alias});
  if (e.name_mark != 0) s.name_marks.emplace(e.name_mark, NameHolder{e.session, e.alias});
  const std::int64_t free = free_alias(s, first);
  if (number != free) {
    s.aliases.insert(e.alias);
    return true;
  }
  while (s.next_alias < free) s.aliases.erase(alias_of(first, s.next_alias++));
  ++s.next_alias;
  return true;
}

bool apply(AdmissionState& s, const Envelope&, const SessionReleased& e) {
  const auto held = s.live.find(e.session);
  if (held == s.live.end()) return false;
  if (e.has_lease) s.unsettled.emplace(e.session, held->second);
  s.live.erase(held);
  const auto is_its = [&](const auto& name) { return name.second.session == e.session; };
  std::erase_if(s.names, is_its);
  std::erase_if(s.name_marks, is_its);
  return true;
}

bool apply(AdmissionState& s, const Envelope&, const SessionSettled& e) {
  return s.unsettled.erase(e.session) == 1;
}

bool apply(ServerState& s, const Envelope&, const EpochStarted& e) {
  s.epoch_counter = e.counter;
  return true;
}

bool apply(ServerState& s, const Envelope&, const ServerStarted& e) {
  s.writer_term = e.writer_term;
  return true;
}

bool apply(ServerState& s, const Envelope& envelope, const BackupBegun& e) {
  s.backups.insert_or_assign(e.name, NamedBackup{e.folder, envelope.position, {}});
  return true;
}

bool apply(ServerState& s, const Envelope&, const BackupCompleted& e) {
  const auto found = s.backups.find(e.name);
  if (found == s.backups.end()) return false;
  found->second.through = e.through;
  return true;
}

bool apply(ServerState& s, const Envelope&, const BackupForgotten& e) {
  return s.backups.erase(e.name) == 1;
}

bool apply(ServerState& s, const Envelope& envelope, const AnchorRequested&) {
  s.anchor_requested = envelope.position;
  return true;
}

bool apply(ServerState& s, const Envelope& envelope, const AnchorMade& e) {
  s.anchor = MadeAnchor{envelope.position, e};
  return true;
}

bool apply(ServerState& s, const Envelope& envelope, const ArchiveBegun& e) {
  s.archives.insert_or_assign(e.name, NamedArchive{e.folder, envelope.position, {}, {}, false});
  return true;
}

bool apply(ServerState& s, const Envelope&, const ArchiveCompleted& e) {
  const auto found = s.archives.find(e.name);
  if (found == s.archives.end()) return false;
  found->second.first = e.first;
  found->second.through = e.through;
  return true;
}

bool apply(ServerState& s, const Envelope&, const LogTrimmed& e) {
  s.trimmed = std::max(s.trimmed, e.through);
  const auto found = s.archives.find(e.name);
  if (found == s.archives.end()) return false;
  found->second.is_trimmed = true;
  return true;
}

bool apply(ServerState& s, const Envelope&, const ArchiveForgotten& e) {
  return s.archives.erase(e.name) == 1;
}

template <class State, class Other>
bool apply(State&, const Envelope&, const Other&) {
  return false;
}

void count_report(OfSession auto& s, const Envelope& envelope) {
  if (has_lease(s, envelope.token) && envelope.report_sequence > 0) {
    s.lease->report_sequence = envelope.report_sequence;
  }
}

template <class State>
void evolve_or_mark(State& state, const Envelope& envelope, const Event& event) {
  const bool possible = std::visit([&](const auto& e) { return apply(state, envelope, e); }, event);
  if (!possible && state.inconsistent.value == 0) state.inconsistent = envelope.position;
}

}  // namespace

std::optional<StreamState> initial_state(std::string_view stream) {
  const auto ref = parse_stream(stream);
  if (!ref) return std::nullopt;
  switch (ref->kind) {
    case StreamKind::session:
      return SessionState{};
    case StreamKind::registry:
      return RegistryState{};
    case StreamKind::admission:
      return AdmissionState{};
    case StreamKind::server:
      return ServerState{};
  }
  return std::nullopt;
}

void evolve(StreamState& state, const Envelope& envelope, const Event& event) {
  std::visit([&](auto& s) { evolve(s, envelope, event); }, state);
}

void evolve(SessionState& state, const Envelope& envelope, const Event& event) {
  evolve_or_mark(state, envelope, event);
  if (envelope.actor_kind == ActorKind::client) {
    state.commands.remember({envelope.command, envelope.command_digest, envelope.position});
  }
  if (envelope.content) state.last_content = std::max(state.last_content, envelope.version);
  count_report(state, envelope);
}

void evolve(LeaseState& state, const Envelope& envelope, const Event& event) {
  std::visit([&](const auto& e) { apply(state, envelope, e); }, event);
  count_report(state, envelope);
}

void evolve(RegistryState& state, const Envelope& envelope, const Event& event) {
  evolve_or_mark(state, envelope, event);
}

void evolve(AdmissionState& state, const Envelope& envelope, const Event& event) {
  evolve_or_mark(state, envelope, event);
}

void evolve(ServerState& state, const Envelope& envelope, const Event& event) {
  std::visit([&](const auto& e) { apply(state, envelope, e); }, event);
  if (envelope.actor_kind != ActorKind::client) return;
  state.requests.push_back({envelope.command, envelope.command_digest, envelope.position});
  if (state.requests.size() > kRequestsMax) state.requests.erase(state.requests.begin());
}

bool is_under_way(const SessionState& state) {
  return is_live(state.status) || state.lease;
}

bool is_under_way(const LeaseState& state) {
  return is_live(state.status) || state.lease;
}

LeaseState lease_state(const SessionState& state) {
  return {state.status, state.is_close_requested, state.opened,
          state.lease,  state.last_token,         state.turn,
          state.queue};
}

const std::string& label(const SessionState& state) {
  return state.name.empty() ? state.alias : state.name;
}

Position made_name_at(const SessionState& state) {
  const MadeName& name = state.made_name;
  return contains(state.erased, name.version) ? Position{} : name.position;
}

std::int64_t free_alias(const AdmissionState& state, SessionId first) {
  std::int64_t number = state.next_alias;
  while (state.aliases.contains(alias_of(first, number))) ++number;
  return number;
}

bool is_wholly_erased(const SessionState& state) {
  return without({{StreamVersion{1}, state.last_content}}, state.erased).empty();
}

}  // namespace session
