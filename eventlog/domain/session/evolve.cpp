// Folds a session's events, into the whole state and into the part that leases need. Where both
// have the same fields, one template serves both.
#include "eventlog/domain/evolve.hpp"

#include <algorithm>
#include <concepts>
#include <utility>

namespace domain {
namespace {

// Each `apply` returns false for an event that is impossible in the state, having changed nothing.
// `OfSession` stands for the session's whole state and for the part that leases need.
template <class State>
concept OfSession = std::same_as<State, SessionState> || std::same_as<State, LeaseState>;

void add_cost(SessionState& s, const Usage& usage, NanoUsd cost, CostBasis basis) {
  add(s.usage, usage);
  add_bounded(s.cost.value, cost.value);
  s.basis = std::max(s.basis, basis);
}

void note_total(SessionState& s, NanoUsd agent_total) {
  if (agent_total.value == 0) return;
  s.agent_total = agent_total;
  s.beyond_total = {};
}

void end_cost(SessionState& s, const TurnCost& turn) {
  const UnbookedCost rest = unbooked(turn);
  add_cost(s, rest.usage, rest.cost, turn.basis);
  if (turn.claimed.value != 0) add_bounded(s.disputed.value, turn.claimed.value - turn.cost.value);
  note_total(s, turn.agent_total);
}
void end_cost(LeaseState&, const TurnCost&) {}

void forget_spent(SessionState& s, bool is_own) {
  (is_own ? s.own_spent : s.turn_spent).reset();
}
void forget_spent(LeaseState&, bool) {}

void begin_denials(SessionState& s) {
  s.turn_denied.reset();
}
void begin_denials(LeaseState&) {}

void begin_total(SessionState& s, std::optional<NanoUsd> agent_total) {
  s.agent_total = agent_total.value_or(running_total(s));
  s.beyond_total = {};
  s.total_at_start = agent_total;
}
void begin_total(LeaseState&, std::optional<NanoUsd>) {}

void forget_own_stop(SessionState& s) {
  s.own_stop = EndReason::none;
  s.own_asked_at = {};
}
void forget_own_stop(LeaseState& s) {
  s.own_asked_at = {};
}

bool ends_turn(OfSession auto& s, TurnId turn, const TurnCost& cost) {
  const bool is_own = turn.is_set() && s.own_turn == turn;
  if (!is_own && (!s.turn || s.turn->turn != turn)) return false;
  if (is_own) {
    s.own_turn = {};
    s.is_own_turn_to_end = false;
    forget_own_stop(s);
  } else {
    s.turn.reset();
  }
  end_cost(s, cost);
  forget_spent(s, is_own);
  return true;
}

const SessionSpec& limits_of(const SessionState& s) {
  return s.spec;
}
const LeaseState& limits_of(const LeaseState& s) {
  return s;
}

void forget_limit(SessionState& s) {
  s.limited_until = {};
  s.limited_by.reset();
  s.limited_in = {};
}
void forget_limit(LeaseState&) {}

void forget_lost_tasks(SessionState& s) {
  s.tasks_lost = 0;
}
void forget_lost_tasks(LeaseState&) {}

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
  s.descriptor = e.descriptor;
  s.lineage = e.lineage;
  s.payers = e.payers;
  s.opened = envelope.position;
  s.agent_total = e.carried_cost;
  s.last_message = e.spec->resume_message;
  s.is_heard = e.is_heard;
  if (e.spec->remind_after.count() > 0) s.remind_since = envelope.log_time;
  if (e.spec->resumed_at == ResumedAt::record) s.lost_at = envelope.position;
  return true;
}

bool apply(LeaseState& s, const Envelope& envelope, const SessionOpened& e) {
  if (s.status != SessionStatus::none) return false;
  s.status = SessionStatus::starting;
  s.opened = envelope.position;
  if (e.spec->resumed_at == ResumedAt::record) s.lost_at = envelope.position;
  s.idle_timeout = e.spec->idle_timeout;
  s.run_timeout = e.spec->run_timeout;
  s.remind_after = e.spec->remind_after;
  if (e.spec->remind_after.count() > 0) s.remind_since = envelope.log_time;
  return true;
}

bool apply(OfSession auto& s, const Envelope& envelope, const TurnQueued& e) {
  if (!is_live(s.status)) return false;
  s.queue.insert(s.queue.end(), {e.turn, envelope.position, envelope.version, e.start_before, 0});
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const SessionNamed& e) {
  if (s.status == SessionStatus::none || !s.name.empty() || s.made_name.position.value != 0) {
    return false;
  }
  s.made_name = {envelope.position, envelope.version, e.mark, e.number};
  return true;
}

bool apply(OfSession auto& s, const Envelope& envelope, const TurnStarted& e) {
  if (!is_live(s.status) || s.turn || s.queue.empty() || s.queue.front().turn != e.turn ||
      s.pause != EndReason::none || !has_lease(s, e.token)) {
    return false;
  }
  const QueuedTurn& queued = s.queue.front();
  CurrentTurn turn{e.turn, queued.prompt, queued.version};
  turn.start_before = queued.start_before;
  turn.attempts = queued.attempts;
  turn.injected = queued.injected;
  turn.starts = queued.starts;
  s.turn = turn;
  forget_lost_tasks(s);
  if (limits_of(s).run_timeout.count() > 0) s.turn->started_at = envelope.log_time;
  s.queue.erase(s.queue.begin());
  s.day_over = {};
  begin_denials(s);
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const OwnTurnStarted& e) {
  if (!is_live(s.status) || !s.lease || s.own_turn.is_set() || !e.turn.is_set()) return false;
  s.own_turn = e.turn;
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const TurnReturned& e) {
  if (!s.turn || s.turn->turn != e.turn) return false;
  const Time start_before = e.attempts > 0 ? Time{} : s.turn->start_before;
  s.queue.insert(s.queue.begin(),
                 {e.turn, s.turn->prompt, s.turn->version, start_before,
                  std::max(e.attempts, s.turn->attempts), s.turn->injected, e.starts});
  s.turn.reset();
  forget_spent(s, false);
  return true;
}

bool apply(OfSession auto& s, const Envelope& envelope, const PromptInjected& e) {
  const std::int64_t bytes = envelope.content ? envelope.content->bytes : 0;
  const auto add_to = [&](auto& turn) {
    if (turn.turn != e.turn) return false;
    turn.injected.edit().push_back({envelope.position, envelope.version, bytes});
    return true;
  };
  if (s.turn) return add_to(*s.turn);
  return !s.queue.empty() && add_to(s.queue.front());
}

bool apply(OfSession auto& s, const Envelope&, const TurnContinued& e) {
  if (!s.turn || s.turn->turn != e.turn || s.turn->is_continued) return false;
  CurrentTurn& turn = *s.turn;
  const auto answered = static_cast<std::size_t>(std::max<std::int64_t>(e.injected, 0));
  if (answered != static_cast<std::uint64_t>(e.injected) || answered >= turn.injected->size()) {
    return false;
  }
  InjectedPrompts rest = turn.injected;
  turn.prompt = rest[answered].prompt;
  turn.version = rest[answered].version;
  rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(answered) + 1);
  turn.injected = std::move(rest);
  turn.start_before = {};
  turn.started_at = {};
  turn.is_continued = true;
  s.lost_at = {};
  return true;
}

bool apply(OfSession auto& s, const Envelope& envelope, const QueuePaused& e) {
  if (!is_live(s.status) || s.turn || s.queue.empty() || e.reason == EndReason::none) return false;
  s.pause = e.reason;
  s.day_over = e.reason == EndReason::daily_budget ? day_end(envelope.wall_time) : Time{};
  s.paused_until = e.until;
  return true;
}

void unpause(OfSession auto& s) {
  s.pause = EndReason::none;
  s.day_over = {};
  s.paused_until = {};
}

bool apply(OfSession auto& s, const Envelope& envelope, const QueueContinued&) {
  if (s.pause == EndReason::none && s.day_over.us == 0) return false;
  // A person begins anew to count.
  const bool is_by_itself = envelope.actor_kind == ActorKind::server;
  if (!is_by_itself && !s.queue.empty()) s.queue.front().starts = 0;
  unpause(s);
  return true;
}

void stop_own_turn(SessionState& s, EndReason reason, Time now) {
  if (reason == EndReason::user) return void(s.own_stop = EndReason::none);
  if (!s.is_own_turn_to_end) s.own_stop = reason;
  s.own_asked_at = now;
}
void stop_own_turn(LeaseState& s, EndReason reason, Time now) {
  if (reason != EndReason::user) s.own_asked_at = now;
}

bool apply(OfSession auto& s, const Envelope& envelope, const InterruptRequested& e) {
  if (!s.turn || s.turn->turn != e.turn) {
    if (!e.turn.is_set() || s.own_turn != e.turn) return false;
    stop_own_turn(s, e.reason, envelope.log_time);
    return s.is_own_turn_to_end = true;
  }
  const bool is_first = !std::exchange(s.turn->is_interrupt_requested, true);
  if (e.reason == EndReason::user) {
    s.turn->stop = EndReason::none;
    return true;
  }
  s.turn->asked_at = envelope.log_time;
  s.turn->is_over_budget |= e.reason == EndReason::budget;
  if (is_first && e.reason != EndReason::budget) s.turn->stop = e.reason;
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const TasksChanged& e) {
  if (!s.lease || e.subagents < 0 || e.subagents > e.tasks) return false;
  s.tasks = e.tasks;
  // Those that are not waited for any longer run on until their agent ends.
  if constexpr (requires { s.subagents; }) s.subagents = e.is_given_up ? s.subagents : e.subagents;
  return true;
}

bool apply(SessionState& s, const Envelope&, const SpendingRecorded& e) {
  if (s.status == SessionStatus::none) return false;
  const NanoUsd cost = cost_of(e.spent);
  add_cost(s, usage_of(e.spent), cost, e.basis);
  add_bounded(s.beyond_total.value, cost.value);
  note_total(s, e.agent_total);
  if (s.turn && s.turn->turn == e.turn) add(s.turn_spent.edit(), e.spent);
  if (e.turn.is_set() && s.own_turn == e.turn) add(s.own_spent.edit(), e.spent);
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const TurnFinished& e) {
  const bool is_own = s.own_turn == e.turn;
  if (!ends_turn(s, e.turn, e.cost)) return false;
  if (!is_own) s.lost_at = {};
  forget_limit(s);
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const TurnFailed& e) {
  return ends_turn(s, e.turn, e.cost);
}

bool apply(OfSession auto& s, const Envelope&, const TurnInterrupted& e) {
  if (ends_turn(s, e.turn, e.cost)) {
    // The next prompts wait for the next day, which the session's people are to know.
    if (e.day_over.us != 0) s.day_over = e.day_over;
    return true;
  }
  const auto queued = std::find_if(s.queue.begin(), s.queue.end(),
                                   [&](const QueuedTurn& q) { return q.turn == e.turn; });
  if (queued == s.queue.end()) return false;
  s.queue.erase(queued);
  if (s.queue.empty()) unpause(s);
  return true;
}

// Messages of subagents are not part of the agent's own conversation.
template <class Said>
void note_message(SessionState& s, const Said& e) {
  if (e.parent.empty() && !e.message.empty()) s.last_message = e.message;
}

void note_output(SessionState& s, const Envelope& envelope) {
  if (s.spec.use_limits->max_output_bytes <= 0 || !envelope.content) return;
  add_bounded(s.output_bytes, envelope.content->bytes);
}

bool apply(SessionState& s, const Envelope& envelope, const OutputRecorded& e) {
  if (s.status == SessionStatus::none || e.block != s.blocks + 1) return false;
  s.blocks = e.block;
  note_output(s, envelope);
  note_message(s, e);
  return true;
}

void forget_repeating(SessionState& s) {
  s.is_repeating = false;
  s.repeating_parent.reset();
}

bool apply(SessionState& s, const Envelope&, const ToolCallStarted& e) {
  if (s.status == SessionStatus::none) return false;
  if (s.is_repeating && e.repeats == 0 && s.repeating_parent == e.parent) forget_repeating(s);
  if (s.spec.use_limits->max_tool_calls > 0) add_bounded(s.tool_calls, 1);
  note_message(s, e);
  return true;
}

void count_denial(Denials& denied, const std::string& tool) {
  add_bounded(denied.calls, 1);
  const auto known = std::find(denied.tools.begin(), denied.tools.end(), tool);
  const bool is_new = known == denied.tools.end();
  if (is_new && denied.tools.size() < kDeniedToolsMax) denied.tools.push_back(tool);
}

void count_denial(SessionState& s, const std::string& tool) {
  count_denial(s.denied.edit(), tool);
  count_denial(s.turn_denied.edit(), tool);
}

bool apply(SessionState& s, const Envelope&, const ToolCallDenied& e) {
  if (s.status == SessionStatus::none) return false;
  count_denial(s, e.tool);
  return true;
}

// The call of a subagent ends with it.
bool apply(SessionState& s, const Envelope& envelope, const ToolCallFinished& e) {
  if (s.status == SessionStatus::none) return false;
  note_output(s, envelope);
  if (e.is_denied && !e.tool.empty()) count_denial(s, e.tool);
  if (s.is_repeating && s.repeating_parent == e.call) forget_repeating(s);
  return true;
}

bool apply(SessionState& s, const Envelope&, const ToolCallsRepeated& e) {
  if (s.status == SessionStatus::none) return false;
  s.repeating_parent = e.parent;
  return s.is_repeating = true;
}

bool apply(SessionState& s, const Envelope&, const AgentSilenceReported& e) {
  if (s.status == SessionStatus::none) return false;
  s.is_silent = !e.is_over;
  return true;
}

bool apply(SessionState& s, const Envelope&, const AttentionDismissed&) {
  if (s.status == SessionStatus::none) return false;
  return s.is_dismissed = true;
}

// Returns the place of the channel. For a new one the channel in the background that has seen least
// is forgotten, if there are many.
Viewer& viewer_of(SessionState& s, const std::string& channel) {
  std::map<std::string, Viewer>& viewers = s.viewers.edit();
  if (viewers.size() >= kViewersMax && !viewers.contains(channel)) {
    auto least = viewers.end();
    for (auto at = viewers.begin(); at != viewers.end(); ++at) {
      if (at->second.is_foreground) continue;
      if (least == viewers.end() || at->second.seen < least->second.seen) least = at;
    }
    if (least != viewers.end()) viewers.erase(least);
  }
  return viewers[channel];
}

bool apply(SessionState& s, const Envelope&, const ForegroundChanged& e) {
  if (s.status == SessionStatus::none) return false;
  viewer_of(s, e.channel).is_foreground = e.is_foreground;
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const OutputSeen& e) {
  if (s.status == SessionStatus::none || e.through > envelope.position) return false;
  Viewer& viewer = viewer_of(s, e.channel);
  viewer.seen = e.through;
  viewer.further_bytes = e.further_bytes;
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const LeaseGranted& e) {
  if (!is_live(s.status) || s.lease || e.token <= s.last_token) return false;
  s.lease = Lease{e.worker, e.token, 0,     e.resume_agent_session, 0, 0,
                  e.budget, false,   false, e.last_message};
  if constexpr (requires { s.is_heard; }) s.is_heard = false;
  s.last_token = e.token;
  begin_total(s, e.agent_total);
  return true;
}

// Nothing that the session was opened with, or knew of its agent, can be resumed any more. The
// running total of the next one begins at zero.
void forget_agent_session(SessionState& s) {
  s.agent_total = {};
  s.beyond_total = {};
  s.total_at_start.reset();
  s.agent_session.clear();
  s.last_message.clear();
  s.spec.resume_agent_session.reset();
  s.spec.resume_message.reset();
  s.spec.resumed_at = ResumedAt::record;
  s.spec.is_fork = false;
}
void forget_agent_session(LeaseState&) {}

// Tasks in the background end with their agent.
bool ends_lease(OfSession auto& s, const Envelope& envelope, FencingToken token) {
  if (!has_lease(s, token)) return false;
  if (s.lease->is_unsaved) {
    s.lost_at = envelope.position;
    forget_agent_session(s);
  }
  s.lease.reset();
  s.tasks = 0;
  if constexpr (requires { s.subagents; }) s.subagents = 0;
  return true;
}

bool apply(OfSession auto& s, const Envelope& envelope, const LeaseReleased& e) {
  return ends_lease(s, envelope, e.token);
}

bool apply(OfSession auto& s, const Envelope& envelope, const LeaseExpired& e) {
  return ends_lease(s, envelope, e.token);
}

bool apply(OfSession auto& s, const Envelope&, const AgentStarted& e) {
  if (!s.lease) return false;
  s.lease->pid = e.pid;
  s.lease->start_ticks = e.start_ticks;
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const LongRunReached&) {
  if (s.remind_since.us == 0) return false;
  s.remind_since = {};
  return true;
}

// If the agent names another session than before, the conversation was cleared, or copied once
// more.
void name_agent_session(SessionState& s, const std::string& agent_session) {
  const bool is_other = !s.agent_session.empty() && s.agent_session != agent_session;
  if (is_other && !begins_as_opened(s)) s.last_message.clear();
  s.agent_session = agent_session;
}
void name_agent_session(LeaseState&, const std::string&) {}

bool apply(OfSession auto& s, const Envelope&, const AgentInitialized& e) {
  if (s.status == SessionStatus::none) return false;
  if (s.status == SessionStatus::starting) {
    s.status = SessionStatus::running;
  }
  name_agent_session(s, e.agent_session);
  return true;
}

bool apply(OfSession auto& s, const Envelope&, const TranscriptWritesLost&) {
  if (!s.lease) return false;
  return s.lease->is_unsaved = true;
}

bool apply(OfSession auto& s, const Envelope& envelope, const AgentSessionLost&) {
  if (!s.lease) return false;
  s.lease->is_lost = true;
  s.lost_at = envelope.position;
  forget_agent_session(s);
  return true;
}

void hurry_close(SessionState& s, bool is_now) {
  s.is_close_now |= is_now;
}
void hurry_close(LeaseState&, bool) {}

bool apply(OfSession auto& s, const Envelope&, const CloseRequested& e) {
  if (!is_live(s.status)) return false;
  s.is_close_requested = true;
  hurry_close(s, e.is_now);
  return true;
}

void name_end(SessionState& s, EndReason reason) {
  s.end_reason = reason;
}
void name_end(LeaseState&, EndReason) {}

bool apply(OfSession auto& s, const Envelope&, const SessionClosed& e) {
  if (!is_live(s.status) || !is_terminal(e.status) || has_work(s)) return false;
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

// Facts that change nothing in a session's state, and need only that the session exists.
bool exists(const SessionState& s) {
  return s.status != SessionStatus::none;
}
bool apply(SessionState& s, const Envelope&, const PartialOutputRecorded&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const ModelCallRetried&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const ModelFellBack&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const RateLimitReported& e) {
  if (!exists(s)) return false;
  // That another limit is not reached says nothing of this one.
  if (e.blocks_until.us == 0 && s.limited_by != e.limit) return true;
  if (e.blocks_until.us == 0) {
    forget_limit(s);
  } else {
    s.limited_until = e.blocks_until;
    s.limited_by = e.limit;
    s.limited_in = s.turn ? s.turn->turn : TurnId{};
  }
  return true;
}
bool apply(SessionState& s, const Envelope&, const TasksLost& e) {
  if (!exists(s) || e.tasks < 0) return false;
  add_bounded(s.tasks_lost, e.tasks);
  return true;
}
bool apply(SessionState& s, const Envelope&, const ContextCompacted&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const AgentStatusReported&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const AgentNoted&) {
  return exists(s);
}
bool apply(SessionState& s, const Envelope&, const McpServersReported&) {
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
bool apply(SessionState& s, const Envelope&, const AgentExited& e) {
  if (!exists(s)) return false;
  s.is_heard = e.is_heard;
  return true;
}
bool apply(SessionState& s, const Envelope& envelope, const AgentSessionShared&) {
  if (!exists(s)) return false;
  s.shared_at = envelope.position;
  // The agent's total holds what others spent, which is not booked here.
  s.total_at_start.reset();
  return true;
}
bool apply(SessionState& s, const Envelope&, const SessionResumed& e) {
  if (!exists(s)) return false;
  s.is_continued |= e.shares_budget;
  s.is_left_behind |= e.takes_agent_session;
  return true;
}

bool apply(SessionState& s, const Envelope&, const SessionLaunched& e) {
  if (!exists(s) || !e.session.is_set()) return false;
  s.has_launched = true;
  return true;
}

// The events that leases depend on, and the others. Every new event must be in one of the two
// lists.
using LeaseEvents =
    base::Types<SessionOpened, TurnQueued, TurnStarted, OwnTurnStarted, TurnReturned,
                PromptInjected, TurnContinued, QueuePaused, QueueContinued, InterruptRequested,
                TasksChanged, TurnFinished, TurnFailed, TurnInterrupted, LeaseGranted,
                LeaseReleased, LeaseExpired, AgentStarted, AgentInitialized, AgentSessionLost,
                CloseRequested, SessionClosed, LongRunReached, TranscriptWritesLost>;
using NotOfLeases =
    base::Types<SessionNamed, ModelCallRetried, ModelFellBack, RateLimitReported, ContextCompacted,
                AgentStatusReported, SpendingRecorded, OutputRecorded, PartialOutputRecorded,
                ToolCallStarted, ToolCallsRepeated, AgentSilenceReported, ToolCallFinished,
                ToolCallDenied, AgentNoted, McpServersReported, AgentLineRecorded, ReportIgnored,
                NothingChanged, AgentStartFailed, AgentExited, ForegroundChanged, OutputSeen,
                AttentionDismissed, SessionResumed, ContentErased, ContentErasureCompleted,
                TasksLost, SessionLaunched, AgentSessionShared>;
static_assert(base::kHasSameMembers<SessionEvents, base::Joined<LeaseEvents, NotOfLeases>>);

void count_report(OfSession auto& s, const Envelope& envelope) {
  if (has_lease(s, envelope.token) && envelope.report_sequence > 0) {
    s.lease->report_sequence = envelope.report_sequence;
  }
}

void note_idle(OfSession auto& s, Time now) {
  if (limits_of(s).idle_timeout.count() <= 0) return;
  const bool is_idle = is_live(s.status) && !s.is_close_requested && !has_work(s) && s.tasks == 0;
  if (!is_idle) s.idle_since = {};
  if (is_idle && s.idle_since.us == 0) s.idle_since = now;
}

// The agent is not stuck any more when it says something else, or has nothing to do.
void note_progress(SessionState& s, const Envelope& envelope, const Event& event) {
  const bool has_turn = s.turn || s.own_turn.is_set();
  if (s.is_silent) {
    const bool is_said = has_lease(s, envelope.token) && envelope.report_sequence > 0;
    // Spending is also told by time, when the agent has said nothing.
    const bool is_no_sign = std::holds_alternative<AgentSilenceReported>(event) ||
                            std::holds_alternative<SpendingRecorded>(event);
    s.is_silent = has_turn && (!is_said || is_no_sign);
  }
  if (!s.is_repeating || has_turn) return;
  if (s.repeating_parent->empty() || s.tasks == 0) forget_repeating(s);
}

}  // namespace

void evolve(SessionState& state, const Envelope& envelope, const Event& event) {
  const bool is_dismissed = std::exchange(state.is_dismissed, false);
  const Attention before = is_dismissed ? attention_of(state) : Attention::none;
  fold_or_mark<SessionEvents>(state, envelope, event,
                              [&](const auto& fact) { return apply(state, envelope, fact); });
  if (envelope.actor_kind == ActorKind::client) {
    state.commands.remember({envelope.command, envelope.command_digest, envelope.position});
  }
  if (envelope.content) state.last_content = std::max(state.last_content, envelope.version);
  count_report(state, envelope);
  note_idle(state, envelope.log_time);
  note_progress(state, envelope, event);
  // A dismissal ends once the need is another one.
  if (is_dismissed && attention_of(state) == before) state.is_dismissed = true;
}

void evolve(LeaseState& state, const Envelope& envelope, const Event& event) {
  fold_own<LeaseEvents>(event, [&](const auto& fact) { return apply(state, envelope, fact); });
  count_report(state, envelope);
  note_idle(state, envelope.log_time);
}

}  // namespace domain
