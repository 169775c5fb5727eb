// Folds a session's events, into the whole state or into its work alone.
#include "eventlog/domain/session/state.hpp"

#include <algorithm>
#include <concepts>
#include <utility>

#include "eventlog/domain/budget/spent_days.hpp"
#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

// Each `apply` returns false for an event that is impossible in the state, having changed nothing.
// The `apply` to SessionWork changes a session's work alone. An event that changes more of the
// session also has an `apply` to SessionState, which begins with the work.

bool has_lease(const SessionWork& s, FencingToken token) {
  return s.lease && s.lease->token == token;
}

bool is_own(const SessionWork& s, TurnId turn) {
  return turn.is_set() && s.own_turn == turn;
}

bool is_current(const SessionWork& s, TurnId turn) {
  return s.turn && s.turn->turn == turn;
}

void unpause(SessionWork& s) {
  s.pause = EndReason::none;
  s.day_over = {};
  s.paused_until = {};
}

bool ends_turn(SessionWork& s, TurnId turn) {
  if (is_own(s, turn)) {
    s.own_turn = {};
    s.is_own_turn_to_end = false;
    s.own_stop = EndReason::none;
    s.own_asked_at = {};
    return true;
  }
  if (!is_current(s, turn)) return false;
  s.turn.reset();
  return true;
}

// The time in which the agent waits for an answer is not the turn's.
void note_asking(SessionWork& s, Time now) {
  if (is_waiting(s.asks)) {
    if (s.asking_since.us == 0) s.asking_since = now;
    return;
  }
  if (s.asking_since.us == 0) return;
  if (s.turn && s.turn->started_at.us != 0) {
    const Time since = std::max(s.asking_since, s.turn->started_at);
    if (now > since) s.turn->started_at = s.turn->started_at + (now - since);
  }
  s.asking_since = {};
}

// Marks what the agent asks people about that call. Returns false if it asks nothing.
bool defer_ask(SessionWork& s, const std::string& call) {
  for (OpenAsk& open : s.asks.edit()) {
    if (open.call != call || !is_for_people(open.kind)) continue;
    return open.is_deferred = true;
  }
  return false;
}

OpenAsk* find_open(SessionWork& s, std::int64_t ask) {
  for (OpenAsk& open : s.asks.edit()) {
    if (open.ask == ask) return &open;
  }
  return nullptr;
}

// Tasks in the background end with their agent, and so does what it asks, unless its next process
// asks it again.
bool ends_lease(SessionWork& s, const Envelope& envelope, FencingToken token) {
  if (!has_lease(s, token)) return false;
  if (s.lease->is_unsaved) s.lost_at = envelope.position;
  s.lease.reset();
  s.tasks = 0;
  std::erase_if(s.asks.edit(), [](const OpenAsk& ask) { return !ask.is_deferred; });
  if (s.asks->empty()) s.asks.reset();
  note_asking(s, envelope.log_time);
  return true;
}

// ---- the work ----

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const SessionOpened& e) {
  if (s.status != SessionStatus::none) return false;
  s.status = SessionStatus::starting;
  s.opened = envelope.position;
  if (e.spec->remind_after.count() > 0) s.remind_since = envelope.log_time;
  if (e.spec->resumed_at == ResumedAt::record) s.lost_at = envelope.position;
  return true;
}

std::int64_t text_bytes(const Envelope& envelope) {
  return envelope.content ? envelope.content->bytes : 0;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const FileAttached&) {
  if (!is_live(s.status)) return false;
  s.attached.edit().push_back({envelope.position, envelope.version, text_bytes(envelope)});
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const TurnQueued& e) {
  if (!is_live(s.status) || e.files->size() != s.attached->size()) return false;
  s.queue.insert(s.queue.end(), {e.turn, envelope.position, envelope.version, e.start_before, 0});
  s.queue.back().files = std::exchange(s.attached, {});
  s.queue.back().place = e.place;
  return true;
}

bool apply(SessionWork& s, const TimeLimits& limits, const Envelope& envelope,
           const TurnStarted& e) {
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
  turn.deferred = queued.deferred;
  turn.files = queued.files;
  s.turn = turn;
  if (limits.run_timeout.count() > 0) s.turn->started_at = envelope.log_time;
  s.queue.erase(s.queue.begin());
  s.day_over = {};
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const OwnTurnStarted& e) {
  if (!is_live(s.status) || !s.lease || s.own_turn.is_set() || !e.turn.is_set()) return false;
  s.own_turn = e.turn;
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const TurnReturned& e) {
  if (!is_current(s, e.turn)) return false;
  const bool is_deferred = !e.deferred.empty();
  if (is_deferred && !defer_ask(s, e.deferred)) return false;
  const Time start_before = e.attempts > 0 || is_deferred ? Time{} : s.turn->start_before;
  QueuedTurn queued{e.turn,
                    s.turn->prompt,
                    s.turn->version,
                    start_before,
                    std::max(e.attempts, s.turn->attempts),
                    s.turn->injected,
                    e.starts,
                    s.turn->files};
  if (is_deferred) queued.deferred = e.deferred;
  s.queue.insert(s.queue.begin(), std::move(queued));
  s.turn.reset();
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const PromptInjected& e) {
  if (e.files->size() != s.attached->size()) return false;
  const auto add_to = [&](auto& turn) {
    if (turn.turn != e.turn) return false;
    turn.injected.edit().push_back(
        {envelope.position, envelope.version, text_bytes(envelope), std::exchange(s.attached, {})});
    return true;
  };
  if (s.turn) return add_to(*s.turn);
  return !s.queue.empty() && add_to(s.queue.front());
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const TurnContinued& e) {
  if (!is_current(s, e.turn) || s.turn->is_continued) return false;
  CurrentTurn& turn = *s.turn;
  const auto answered = static_cast<std::size_t>(std::max<std::int64_t>(e.injected, 0));
  if (answered != static_cast<std::uint64_t>(e.injected) || answered >= turn.injected->size()) {
    return false;
  }
  InjectedPrompts rest = turn.injected;
  turn.prompt = rest[answered].prompt;
  turn.version = rest[answered].version;
  turn.files = rest[answered].files;
  rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(answered) + 1);
  turn.injected = std::move(rest);
  turn.start_before = {};
  turn.started_at = {};
  turn.is_continued = true;
  s.lost_at = {};
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const QueuePaused& e) {
  if (!is_live(s.status) || s.turn || s.queue.empty() || e.reason == EndReason::none) return false;
  s.pause = e.reason;
  s.day_over = e.reason == EndReason::daily_budget ? day_end(envelope.wall_time) : Time{};
  s.paused_until = e.until;
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const QueueContinued&) {
  if (s.pause == EndReason::none && s.day_over.us == 0) return false;
  // A person begins anew to count.
  const bool is_by_itself = envelope.actor_kind == ActorKind::server;
  if (!is_by_itself && !s.queue.empty()) s.queue.front().starts = 0;
  unpause(s);
  return true;
}

void interrupt_own(SessionWork& s, EndReason reason, Time now) {
  const bool is_first = !std::exchange(s.is_own_turn_to_end, true);
  if (reason == EndReason::user) {
    s.own_stop = EndReason::none;
    return;
  }
  if (is_first) s.own_stop = reason;
  s.own_asked_at = now;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope,
           const InterruptRequested& e) {
  if (!is_current(s, e.turn)) {
    if (!is_own(s, e.turn)) return false;
    interrupt_own(s, e.reason, envelope.log_time);
    return true;
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

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const TasksChanged& e) {
  if (!s.lease || e.subagents < 0 || e.subagents > e.tasks) return false;
  s.tasks = e.tasks;
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const TurnFinished& e) {
  const bool is_of_prompt = !is_own(s, e.turn);
  if (!ends_turn(s, e.turn)) return false;
  if (is_of_prompt) s.lost_at = {}, s.unheard.reset();
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const TurnFailed& e) {
  return ends_turn(s, e.turn);
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const TurnInterrupted& e) {
  if (ends_turn(s, e.turn)) {
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

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const LeaseGranted& e) {
  if (!is_live(s.status) || s.lease || e.token <= s.last_token) return false;
  s.lease = Lease{e.worker, e.token, 0,     e.resume_agent_session, 0, 0,
                  e.budget, false,   false, e.last_message};
  s.last_token = e.token;
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const LeaseReleased& e) {
  return ends_lease(s, envelope, e.token);
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const LeaseExpired& e) {
  return ends_lease(s, envelope, e.token);
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const AgentStarted& e) {
  if (!s.lease) return false;
  s.lease->pid = e.pid;
  s.lease->start_ticks = e.start_ticks;
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const LongRunReached&) {
  if (s.remind_since.us == 0) return false;
  s.remind_since = {};
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const AgentInitialized&) {
  if (s.status == SessionStatus::none) return false;
  if (s.status == SessionStatus::starting) s.status = SessionStatus::running;
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const TranscriptWritesLost&) {
  if (!s.lease) return false;
  return s.lease->is_unsaved = true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const AgentSessionLost&) {
  if (!s.lease) return false;
  s.lease->is_lost = true;
  s.lost_at = envelope.position;
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const AskRaised& e) {
  if (!s.lease || e.ask != s.asks_raised + 1) return false;
  s.asks_raised = e.ask;
  OpenAsk open;
  open.ask = e.ask;
  open.request = e.request;
  open.kind = e.kind;
  open.tool = e.tool;
  open.call = e.call;
  open.turn = e.turn;
  open.at = envelope.position;
  open.version = envelope.version;
  open.since = envelope.log_time;
  open.point = e.point;
  open.rule = e.rule;
  s.asks.edit().push_back(std::move(open));
  note_asking(s, envelope.log_time);
  return true;
}

// The answer is that of whoever gave it first, and is given once.
bool take_unheard(SessionWork& s, std::int64_t ask, OpenAsk& open) {
  UnheardAnswers& all = s.unheard.edit();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const UnheardAnswer& one) { return one.ask == ask; });
  if (found == all.end()) return false;
  open.by = found->by;
  open.answered = found->answered;
  all.erase(found);
  return true;
}

void keep_unheard(SessionWork& s, const OpenAsk& open) {
  UnheardAnswers& all = s.unheard.edit();
  if (all.size() >= kUnheardAnswersMax) all.erase(all.begin());
  all.push_back({open.ask, open.kind, open.tool, open.at, open.verdict, open.answer, open.has_text,
                 open.by, open.answered});
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const AskAnswered& e) {
  OpenAsk* open = find_open(s, e.ask);
  const bool is_first = open != nullptr && open->verdict == AskVerdict::none;
  const bool is_instead = open != nullptr && e.basis == AskBasis::text_lost;
  if (e.verdict == AskVerdict::none || (!is_first && !is_instead)) return false;
  open->verdict = e.verdict;
  open->basis = e.basis;
  open->answer = envelope.position;
  open->answer_version = envelope.version;
  open->has_text = envelope.content.has_value();
  open->by = e.place.empty() ? envelope.actor : envelope.actor + " in " + e.place;
  open->answered = envelope.wall_time;
  if (e.basis == AskBasis::earlier && !take_unheard(s, e.earlier, *open)) return false;
  note_asking(s, envelope.log_time);
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const HookRan& e) {
  OpenAsk* open = find_open(s, e.ask);
  if (open == nullptr || open->verdict != AskVerdict::none) return false;
  open->has_asked_hooks = true;
  return true;
}

// Behind it a turn that was deferred is one like others.
bool apply(SessionWork& s, const TimeLimits&, const Envelope& envelope, const AskClosed& e) {
  const OpenAsk* open = find_open(s, e.ask);
  if (open != nullptr && e.end == AskEnd::unheard) keep_unheard(s, *open);
  if (open != nullptr && open->is_deferred) {
    if (s.turn && s.turn->deferred == open->call) s.turn->deferred.reset();
    for (QueuedTurn& queued : s.queue) {
      if (queued.deferred == open->call) queued.deferred.reset();
    }
  }
  const std::size_t closed =
      std::erase_if(s.asks.edit(), [&](const OpenAsk& one) { return one.ask == e.ask; });
  note_asking(s, envelope.log_time);
  return closed == 1;
}

bool takes(const SessionWork& s, const SettingsChanged& e) {
  return is_live(s.status) && e.number == s.changed->changes + 1;
}

// `limits` are as they have become. What they limit begins now.
bool apply(SessionWork& s, const TimeLimits& limits, const Envelope& envelope,
           const SettingsChanged& e) {
  if (!takes(s, e)) return false;
  s.changed.edit().changes = e.number;
  for (const std::string& key : e.keys) note_change(key, e.spec, s.changed.edit());
  s.idle_since = {};
  const bool is_limited_now =
      s.turn && s.turn->started_at.us == 0 && limits.run_timeout.count() > 0;
  if (is_limited_now) s.turn->started_at = envelope.log_time;
  return true;
}

// The next process begins in the mode in which the agent is. Earlier releases only told it.
bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const AgentStatusReported& e) {
  if (e.is_kept && s.lease) note_agent_mode(e.permission_mode, s.changed.edit());
  return true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const CloseRequested&) {
  if (!is_live(s.status)) return false;
  return s.is_close_requested = true;
}

bool apply(SessionWork& s, const TimeLimits&, const Envelope&, const SessionClosed& e) {
  if (!is_live(s.status) || !is_terminal(e.status) || has_work(s)) return false;
  s.status = e.status;
  return true;
}

template <class E>
concept OfWork = requires(SessionWork& work, const TimeLimits& limits, const Envelope& envelope,
                          const E& e) {
  apply(work, limits, envelope, e);
};

void count_report(SessionWork& s, const Envelope& envelope) {
  if (has_lease(s, envelope.token) && envelope.report_sequence > 0) {
    s.lease->report_sequence = envelope.report_sequence;
  }
}

void note_idle(SessionWork& s, const TimeLimits& limits, Time now) {
  if (limits.idle_timeout.count() <= 0) return;
  const bool is_idle = is_live(s.status) && !s.is_close_requested && !has_work(s) && s.tasks == 0;
  if (!is_idle) s.idle_since = {};
  if (is_idle && s.idle_since.us == 0) s.idle_since = now;
}

// ---- the session ----
//
// These change nothing in the work, which leases would not see.

template <OfWork E>
bool apply_work(SessionState& s, const Envelope& envelope, const E& e) {
  return apply(static_cast<SessionWork&>(s), time_limits(s.spec), envelope, e);
}

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

void begin_total(SessionState& s, std::optional<NanoUsd> agent_total) {
  s.agent_total = agent_total.value_or(running_total(s));
  s.beyond_total = {};
  s.total_at_start = agent_total;
}

void forget_limit(SessionState& s) {
  s.limited_until = {};
  s.limited_by.reset();
  s.limited_in = {};
}

// A prompt that still waited when it was interrupted has cost nothing.
template <class E>
bool apply_end_of_turn(SessionState& s, const Envelope& envelope, const E& e) {
  const bool is_of_agent = is_own(s, e.turn);
  const bool has_begun = is_of_agent || is_current(s, e.turn);
  if (!apply_work(s, envelope, e)) return false;
  if (!has_begun && !s.turn) s.turn_spent.reset();
  if (!has_begun) return true;
  const TurnCost& turn = e.cost;
  const UnbookedCost rest = unbooked(turn);
  add_cost(s, rest.usage, rest.cost, turn.basis);
  if (turn.claimed.value != 0) add_bounded(s.disputed.value, turn.claimed.value - turn.cost.value);
  note_total(s, turn.agent_total);
  (is_of_agent ? s.own_spent : s.turn_spent).reset();
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

template <class E>
bool apply_end_of_lease(SessionState& s, const Envelope& envelope, const E& e) {
  const bool is_unsaved = s.lease && s.lease->is_unsaved;
  if (!apply_work(s, envelope, e)) return false;
  if (is_unsaved) forget_agent_session(s);
  s.subagents = 0;
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const SessionOpened& e) {
  if (!apply_work(s, envelope, e)) return false;
  s.session = e.session;
  s.agent = e.agent;
  s.name = e.name;
  s.alias = e.alias;
  s.spec = e.spec;
  s.descriptor = e.descriptor;
  s.lineage = e.lineage;
  s.payers = e.payers;
  s.agent_total = e.carried_cost;
  s.last_message = e.spec->resume_message;
  s.is_heard = e.is_heard;
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const SessionNamed& e) {
  if (!s.name.empty() || s.made_name.position.value != 0) return false;
  s.made_name = {envelope.position, envelope.version, e.mark, e.number};
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const TurnStarted& e) {
  base::Sparse<std::string> place;
  if (!s.queue.empty()) place = s.queue.front().place;
  if (!apply_work(s, envelope, e)) return false;
  if (!place->empty()) s.place = std::move(place);
  s.tasks_lost = 0;
  s.turn_denied.reset();
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const TurnReturned& e) {
  if (!apply_work(s, envelope, e)) return false;
  // The turn keeps its spending from before it was deferred.
  if (e.deferred.empty()) s.turn_spent.reset();
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const TasksChanged& e) {
  if (!apply_work(s, envelope, e)) return false;
  // Those that are not waited for any longer run on until their agent ends.
  if (!e.is_given_up) s.subagents = e.subagents;
  return true;
}

bool apply(SessionState& s, const Envelope&, const SpendingRecorded& e) {
  const NanoUsd cost = cost_of(e.spent);
  add_cost(s, usage_of(e.spent), cost, e.basis);
  add_bounded(s.beyond_total.value, cost.value);
  note_total(s, e.agent_total);
  if (is_current(s, e.turn)) add(s.turn_spent.edit(), e.spent);
  if (is_own(s, e.turn)) add(s.own_spent.edit(), e.spent);
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const TurnFinished& e) {
  if (!apply_end_of_turn(s, envelope, e)) return false;
  forget_limit(s);
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const TurnFailed& e) {
  return apply_end_of_turn(s, envelope, e);
}

bool apply(SessionState& s, const Envelope& envelope, const TurnInterrupted& e) {
  return apply_end_of_turn(s, envelope, e);
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
  if (e.block != s.blocks + 1) return false;
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

bool apply(SessionState& s, const Envelope&, const TranscriptImported& e) {
  if (e.lines < std::max<std::int64_t>(s.imported->lines, 1) || e.bytes <= s.imported->bytes) {
    return false;
  }
  s.imported = e;
  return true;
}

bool apply(SessionState& s, const Envelope&, const LineImported&) {
  return s.imported->lines > 0;
}

bool apply(SessionState& s, const Envelope&, const MessageImported& e) {
  if (s.imported->lines == 0) return false;
  const bool is_said = e.kind == ImportedKind::said || e.kind == ImportedKind::thought;
  if (is_said) ++s.blocks;
  if (is_said || e.kind == ImportedKind::tool_call) note_message(s, e);
  add(s.usage, e.usage);
  return true;
}

bool apply(SessionState& s, const Envelope&, const ToolCallDenied& e) {
  count_denial(s, e.tool);
  return true;
}

// The call of a subagent ends with it.
bool apply(SessionState& s, const Envelope& envelope, const ToolCallFinished& e) {
  note_output(s, envelope);
  if (e.is_denied && !e.tool.empty()) count_denial(s, e.tool);
  if (s.is_repeating && s.repeating_parent == e.call) forget_repeating(s);
  return true;
}

bool apply(SessionState& s, const Envelope&, const ToolCallsRepeated& e) {
  s.repeating_parent = e.parent;
  return s.is_repeating = true;
}

bool apply(SessionState& s, const Envelope&, const AgentSilenceReported& e) {
  s.is_silent = !e.is_over;
  return true;
}

bool apply(SessionState& s, const Envelope&, const AttentionDismissed&) {
  return s.is_dismissed = true;
}

bool apply(SessionState& s, const Envelope&, const SessionLabelled& e) {
  std::vector<std::string> labels = *s.labels;
  for (const std::string& label : e.removed) {
    if (std::erase(labels, label) == 0) return false;
  }
  for (const std::string& label : e.added) {
    const auto place = std::lower_bound(labels.begin(), labels.end(), label);
    if (place != labels.end() && *place == label) return false;
    labels.insert(place, label);
  }
  s.labels = std::move(labels);
  return true;
}

bool apply(SessionState& s, const Envelope&, const SessionRenamed& e) {
  if (e.name.empty() || e.name == s.name) return false;
  s.name = e.name;
  return s.is_renamed = true;
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
  viewer_of(s, e.channel).is_foreground = e.is_foreground;
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const OutputSeen& e) {
  if (e.through > envelope.position) return false;
  Viewer& viewer = viewer_of(s, e.channel);
  viewer.seen = e.through;
  viewer.further_bytes = e.further_bytes;
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const LeaseGranted& e) {
  if (!apply_work(s, envelope, e)) return false;
  s.is_heard = false;
  begin_total(s, e.agent_total);
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const LeaseReleased& e) {
  return apply_end_of_lease(s, envelope, e);
}

bool apply(SessionState& s, const Envelope& envelope, const LeaseExpired& e) {
  return apply_end_of_lease(s, envelope, e);
}

// If the agent names another session than before, the conversation was cleared, or copied once
// more.
bool apply(SessionState& s, const Envelope& envelope, const AgentInitialized& e) {
  if (!apply_work(s, envelope, e)) return false;
  const bool is_other = !s.agent_session.empty() && s.agent_session != e.agent_session;
  if (is_other && !begins_as_opened(s)) s.last_message.clear();
  s.agent_session = e.agent_session;
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const AgentSessionLost& e) {
  if (!apply_work(s, envelope, e)) return false;
  forget_agent_session(s);
  return true;
}

bool apply(SessionState& s, const Envelope&, const AgentExited& e) {
  s.is_heard = e.is_heard;
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const AgentSessionShared&) {
  s.shared_at = envelope.position;
  // The agent's total holds what others spent, which is not booked here.
  s.total_at_start.reset();
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const AskClosed& e) {
  const OpenAsk* open = find_open(s, e.ask);
  if (open == nullptr) return false;
  PastAsks& past = s.past_asks.edit();
  if (past.size() >= kPastAsksMax) past.erase(past.begin());
  past.push_back({open->ask, open->kind, open->call, open->verdict, open->basis, e.end, open->by,
                  open->answered});
  return apply_work(s, envelope, e);
}

bool apply(SessionState& s, const Envelope&, const RateLimitReported& e) {
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
  if (e.tasks < 0) return false;
  add_bounded(s.tasks_lost, e.tasks);
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const SettingsChanged& e) {
  SessionSpec spec = s.spec;
  for (const std::string& key : e.keys) change_setting(key, e.spec, spec);
  const TimeLimits limits = time_limits(spec);
  if (!apply(static_cast<SessionWork&>(s), limits, envelope, e)) return false;
  s.spec = std::move(spec);
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const CloseRequested& e) {
  if (!apply_work(s, envelope, e)) return false;
  s.is_close_now |= e.is_now;
  return true;
}

bool apply(SessionState& s, const Envelope& envelope, const SessionClosed& e) {
  if (!apply_work(s, envelope, e)) return false;
  s.end_reason = e.reason;
  return true;
}

bool apply(SessionState& s, const Envelope&, const SessionResumed& e) {
  s.is_continued |= e.shares_budget;
  s.is_left_behind |= e.takes_agent_session;
  return true;
}

bool apply(SessionState& s, const Envelope&, const ContextCompacted& e) {
  if (e.number > 0) s.compactions = e.number;
  return true;
}

bool apply(SessionState& s, const Envelope&, const SessionLaunched& e) {
  if (!e.session.is_set()) return false;
  return s.has_launched = true;
}

template <class E>
requires base::kContains<E, ContentEvents>
bool apply(SessionState& s, const Envelope& envelope, const E& e) {
  return fold_content(s, envelope, e);
}

// These change nothing in a session's state.
using ToldOnly =
    base::Types<PartialOutputRecorded, ModelCallRetried, ModelFellBack, AgentNoted,
                McpServersReported, SettingsTold, SlashCommandsReported, AgentLineRecorded,
                ReportIgnored, NothingChanged, AgentStartFailed>;

template <class E>
concept OfSession = requires(SessionState& s, const Envelope& envelope, const E& e) {
  apply(s, envelope, e);
};

// Every event is of the work, of the session, or only told.
template <class E>
bool apply_any(SessionState& s, const Envelope& envelope, const E& e) {
  const bool is_first = std::same_as<E, SessionOpened>;
  if (!is_first && s.status == SessionStatus::none) return false;
  if constexpr (OfSession<E>) {
    return apply(s, envelope, e);
  } else if constexpr (OfWork<E>) {
    return apply_work(s, envelope, e);
  } else {
    static_assert(base::kContains<E, ToldOnly>, "an event without its apply");
    return true;
  }
}

// The agent is not stuck any more when it says something else, or has nothing to do.
void note_progress(SessionState& s, const Envelope& envelope, const Event& event) {
  const bool has_turn = s.turn || s.own_turn.is_set();
  if (s.is_silent) {
    const bool is_said = has_lease(s, envelope.token) && envelope.report_sequence > 0;
    // Spending is also told by time, when the agent has said nothing.
    const bool is_no_sign = event.is<AgentSilenceReported>() || event.is<SpendingRecorded>();
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
                              [&](const auto& fact) { return apply_any(state, envelope, fact); });
  if (is_remembered(envelope)) {
    state.commands.remember({envelope.command, envelope.command_digest, envelope.position});
    const Time forgotten = state.commands.forget_oldest(envelope.log_time);
    state.forgotten_ids = std::max(state.forgotten_ids, forgotten);
  }
  note_content(state, envelope);
  count_report(state, envelope);
  note_idle(state, time_limits(state.spec), envelope.log_time);
  note_progress(state, envelope, event);
  // A dismissal ends once the need is another one; each thing that the agent asks is one.
  const auto* asked = event.as<AskRaised>();
  const bool is_asked = asked != nullptr && is_for_people(asked->kind);
  const bool is_other = attention_of(state) != before || is_asked;
  if (is_dismissed && !is_other) state.is_dismissed = true;
}

namespace {

void change(TimeLimits& limits, const SettingsChanged& e) {
  SessionSpec spec;
  spec.idle_timeout = limits.idle_timeout;
  spec.run_timeout = limits.run_timeout;
  spec.remind_after = limits.remind_after;
  spec.approval_timeout = limits.approval_timeout;
  for (const std::string& key : e.keys) change_setting(key, e.spec, spec);
  limits = time_limits(spec);
}

}  // namespace

void evolve(LeaseState& state, const Envelope& envelope, const Event& event) {
  if (const auto* opened = event.as<SessionOpened>()) {
    if (state.status == SessionStatus::none) state.limits = time_limits(opened->spec);
  }
  const auto* changed = event.as<SettingsChanged>();
  if (changed != nullptr && takes(state, *changed)) change(state.limits, *changed);
  fold_own<SessionEvents>(event, [&]<class E>(const E& fact) {
    if constexpr (OfWork<E>) return apply(state, state.limits, envelope, fact);
    return true;
  });
  count_report(state, envelope);
  note_idle(state, state.limits, envelope.log_time);
}

}  // namespace domain
