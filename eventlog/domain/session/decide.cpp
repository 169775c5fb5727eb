#include "eventlog/domain/session/decide.hpp"

#include <algorithm>

#include "eventlog/base/mutant.hpp"
#include "eventlog/base/rare.hpp"
#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/session/session_name.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace domain {
namespace {

using base::Mutant;
using base::mutant;
using Outcome = base::Result<Decision, Rejection>;

Outcome reject(RejectionCode code, std::string text) {
  return tl::unexpected(Rejection{code, std::move(text)});
}

// One decision being made: what it reads, and what it has emitted so far.
struct Deciding {
  const DecisionStates& states;
  const DecisionContext& context;
  Decision decision{};
  bool has_lease = states.session.lease.has_value();  // after what has been emitted

  const SessionState& session() const { return states.session; }

  void emit(Event event, std::string content = {}) {
    decision.push_back({StreamRole::session, std::move(event), {std::move(content)}});
  }
  void emit_to(StreamRole role, Event event) { decision.push_back({role, std::move(event), {}}); }

  void start_next_turn(const QueuedTurn& next, FencingToken token) {
    emit(TurnStarted{next.turn, token});
  }

  // Ends the lease with `event`; where the session is closed already, that settles it.
  template <class LeaseEnd>
  void end_lease(LeaseEnd event) {
    emit(event);
    has_lease = false;
    if (is_terminal(session().status) && !mutant(Mutant::lease_end_not_settled)) {
      emit_to(StreamRole::admission, SessionSettled{session().session});
      if (!mutant(Mutant::agent_session_freed_early)) release_agent_session();
    }
  }

  // No process of the session uses the agent's session that it went on with any more.
  void release_agent_session() {
    const SessionSpec& spec = session().spec;
    if (spec.resume_agent_session.empty() || spec.is_fork) return;
    emit_to(StreamRole::registry,
            AgentSessionReleased{session().session, spec.resume_agent_session});
  }

  // Ends all that is queued, then the session, and frees its name and its place. The current turn
  // must have been ended by an event of this decision, or not be there.
  void close(SessionStatus status, EndReason reason) {
    for (const QueuedTurn& queued : session().queue) {
      emit(TurnInterrupted{queued.turn, EndReason::session_ended, {}});
    }
    close_empty(status, reason);
  }

  // Closes a session that somebody asked to close and that has nothing left to do. It is completed
  // only after it has run.
  void close_as_asked() {
    const bool has_run = session().status == SessionStatus::running;
    close_empty(has_run ? SessionStatus::completed : SessionStatus::killed,
                has_run ? EndReason::none : EndReason::user);
  }

  // As close(), when nothing is queued once the decision's events have been folded.
  void close_empty(SessionStatus status, EndReason reason) {
    emit(SessionClosed{status, reason});
    if (!session().name.empty() && !mutant(Mutant::name_not_freed)) {
      emit_to(StreamRole::registry, NameReleased{session().session, session().name});
    }
    if (!has_lease || mutant(Mutant::agent_session_freed_early)) release_agent_session();
    if (!mutant(Mutant::place_not_freed)) {
      emit_to(StreamRole::admission, SessionReleased{session().session, has_lease});
    }
  }
};

bool is_absolute_path(std::string_view path) {
  return path.starts_with('/') && path.find('\0') == std::string_view::npos;
}

std::optional<Rejection> check_size(const char* what, const std::string& text,
                                    std::int64_t bytes_max = kContentBytesMax) {
  const auto bytes = static_cast<std::int64_t>(text.size());
  if (bytes <= bytes_max) return std::nullopt;
  return Rejection{RejectionCode::limit_reached,
                   std::string(what) + " has " + std::to_string(bytes) + " bytes, of " +
                       std::to_string(bytes_max) + " at most; name a file instead"};
}

std::optional<Rejection> check_prompt(const std::string& prompt) {
  if (prompt.empty()) {
    return Rejection{RejectionCode::invalid, "the prompt is empty; say what the agent is to do"};
  }
  return check_size("the prompt", prompt);
}

std::optional<Rejection> check_spec(const Spawn& c) {
  if (c.spec.engine != "claude" && c.spec.engine != "scripted") {
    return Rejection{RejectionCode::invalid,
                     "unknown engine '" + c.spec.engine + "'; known are claude and scripted"};
  }
  if (!is_absolute_path(c.spec.workdir)) {
    return Rejection{RejectionCode::invalid,
                     "the working folder must be an absolute path, not '" + c.spec.workdir + "'"};
  }
  if (auto bad = check_prompt(c.prompt)) return bad;
  if (auto bad = check_size("the system prompt", c.system_prompt, kSystemPromptBytesMax))
    return bad;
  if (auto fault = name_fault(c.name)) return Rejection{RejectionCode::invalid, *fault};
  if (c.spec.budget.value < 0 || c.spec.max_turns < 0) {
    return Rejection{RejectionCode::invalid, "budget and max_turns cannot be negative"};
  }
  return std::nullopt;
}

std::optional<Rejection> check_resume(const DecisionStates& states, const Spawn& c) {
  const SessionState* source = states.source;
  if (source == nullptr || source->status == SessionStatus::none) {
    return Rejection{RejectionCode::not_found,
                     "there is no session " + c.resume.text() + " to resume"};
  }
  if (source->agent_session.empty()) {
    return Rejection{RejectionCode::not_resumable,
                     "session " + label(*source) +
                         " cannot be resumed: its agent never began; spawn a new session"};
  }
  if (c.is_fork) return std::nullopt;
  if (is_live(source->status)) {
    return Rejection{RejectionCode::source_live,
                     "session " + label(*source) + " is still " +
                         std::string(base::enum_name(source->status)) +
                         "; send it a prompt, kill it first, or resume with fork"};
  }
  if (source->lease) {
    return Rejection{RejectionCode::lease_held,
                     "the agent process of session " + label(*source) +
                         " has not ended yet; try again in a moment, or resume with fork"};
  }
  const auto held = states.registry.agent_sessions.find(source->agent_session);
  if (held == states.registry.agent_sessions.end()) return std::nullopt;
  if (states.admission.unsettled.contains(held->second)) {
    return Rejection{RejectionCode::lease_held,
                     "session " + held->second.text() +
                         " went on with the agent's session, and its agent process has not ended "
                         "yet; try again in a moment, or resume with fork"};
  }
  return Rejection{RejectionCode::source_live,
                   "session " + held->second.text() +
                       " already goes on with the agent's session; kill it first, or resume with "
                       "fork"};
}

std::string choose_alias(const AdmissionState& admission, SessionId session) {
  const SessionId first = admission.first.is_set() ? admission.first : session;
  const std::int64_t number = free_alias(admission, first);
  return alias_of(first, mutant(Mutant::alias_taken_again) && number > 0 ? number - 1 : number);
}

// Who holds the name among the live sessions of all agents; none: it is free. Sessions that an
// older release admitted are known to the registry of their agent alone, and not by their alias. A
// mark may be that of another name, once in millions.
std::optional<std::string> holder_of(const DecisionStates& states, const std::string& name) {
  const AdmissionState& admission = states.admission;
  const auto given = admission.names.find(name);
  if (given != admission.names.end()) return given->second.alias;
  const auto made = admission.name_marks.find(name_mark(name));
  if (made != admission.name_marks.end()) return made->second.alias;
  const auto older = states.registry.names.find(name);
  if (older != states.registry.names.end()) return older->second.text();
  return std::nullopt;
}

Outcome decide_one(Deciding d, const Spawn& c) {
  if (d.session().status != SessionStatus::none) {
    return reject(RejectionCode::already_exists,
                  "session " + d.context.session.text() + " already exists; make a fresh id");
  }
  if (!is_agent_name(d.context.agent) || !d.context.session.is_set()) {
    return reject(RejectionCode::invalid,
                  "a session needs an id and an agent named by 1 to 64 of a-z 0-9 . _ -");
  }
  if (auto bad = check_spec(c)) return tl::unexpected(*bad);
  const auto live = static_cast<std::int64_t>(d.states.admission.live.size());
  if (live >= d.context.limits.max_sessions + (mutant(Mutant::admission_off_by_one) ? 1 : 0)) {
    return reject(RejectionCode::session_limit,
                  std::to_string(live) + " of " + std::to_string(d.context.limits.max_sessions) +
                      " sessions are live (max_sessions); kill one first, or raise the limit");
  }
  if (c.resume.is_set()) {
    if (auto bad = check_resume(d.states, c)) return tl::unexpected(*bad);
  }
  const auto holder = [&](const std::string& name) { return holder_of(d.states, name); };
  if (!c.name.empty() && !mutant(Mutant::given_name_shared)) {
    if (const auto taken = holder(c.name)) {
      return reject(RejectionCode::already_exists,
                    "the name '" + c.name + "' is that of session " + *taken +
                        ", which is live, and no two live sessions have one name; give another "
                        "name, or end that session first");
    }
  }
  const std::string alias = choose_alias(d.states.admission, d.context.session);

  SessionOpened opened{d.context.session, d.context.agent,   {}, alias, c.origin_channel, c.spec,
                       c.resume,          d.context.session, {}};
  opened.name = c.name;
  NameClaimed claim{d.context.session, opened.name, {}};
  SessionAdmitted admitted{d.context.session, d.context.agent, alias, opened.name, 0};
  opened.spec.resume_agent_session.clear();
  opened.spec.is_fork = false;
  if (c.resume.is_set()) {
    const SessionState& source = *d.states.source;
    opened.lineage = source.lineage;
    opened.carried_cost = source.agent_total;
    opened.spec.resume_agent_session = source.agent_session;
    opened.spec.is_fork = c.is_fork;
    if (!c.is_fork) claim.agent_session = source.agent_session;
    // What the source was held to goes on where the command leaves it out.
    if (c.spec.allowed_tools.empty()) opened.spec.allowed_tools = source.spec.allowed_tools;
    if (c.spec.max_turns == 0) opened.spec.max_turns = source.spec.max_turns;
    d.emit_to(StreamRole::source, SessionResumed{d.context.session, c.is_fork});
  }
  d.emit(opened, c.system_prompt);
  if (c.name.empty()) {
    // Its words are the prompt's, so they are text that can be erased, and no fact.
    std::string name = unique_name(name_from_prompt(c.prompt),
                                   [&](const std::string& n) { return holder(n).has_value(); });
    admitted.name_mark = name_mark(name);
    d.emit(SessionNamed{admitted.name_mark}, std::move(name));
  }
  d.emit(TurnQueued{TurnId{d.context.command.bytes}}, c.prompt);
  if (!claim.name.empty() || !claim.agent_session.empty()) d.emit_to(StreamRole::registry, claim);
  d.emit_to(StreamRole::admission, admitted);
  return std::move(d.decision);
}

std::optional<Rejection> check_exists(const SessionState& s, const DecisionContext& context) {
  if (s.status != SessionStatus::none) return std::nullopt;
  return Rejection{RejectionCode::not_found,
                   "there is no session " + context.session.text() + " of agent " + context.agent};
}

std::optional<Rejection> check_live(const SessionState& s, const DecisionContext& context) {
  if (auto bad = check_exists(s, context)) return bad;
  if (is_live(s.status)) return std::nullopt;
  return Rejection{RejectionCode::session_ended, "session " + label(s) + " is " +
                                                     std::string(base::enum_name(s.status)) +
                                                     "; resume it to go on"};
}

Outcome decide_one(Deciding d, const SendPrompt& c) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  if (auto bad = check_prompt(c.prompt)) return tl::unexpected(*bad);
  if (!s.spec.is_multi_turn) {
    return reject(RejectionCode::not_accepting,
                  "session " + label(s) +
                      " is single-turn; wait for its end and resume it, or spawn "
                      "it as multi-turn");
  }
  if (s.is_close_requested) {
    return reject(RejectionCode::not_accepting, "session " + label(s) + " is closing");
  }
  if (static_cast<std::int64_t>(s.queue.size()) >= d.context.limits.queue_max) {
    return reject(RejectionCode::limit_reached, std::to_string(s.queue.size()) +
                                                    " prompts are waiting in session " + label(s) +
                                                    " (queue_max); wait until some are done");
  }
  const QueuedTurn queued{TurnId{d.context.command.bytes}, {}, {}};
  d.emit(TurnQueued{queued.turn}, c.prompt);
  if (s.turn) {
    if (c.is_interrupting && !s.turn->is_interrupt_requested) {
      d.emit(InterruptRequested{s.turn->turn});
    }
  } else if (s.lease && s.queue.empty()) {
    d.start_next_turn(queued, s.lease->token);
  }
  return std::move(d.decision);
}

Outcome decide_one(Deciding d, const InterruptTurn& c) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  if (s.turn && s.turn->turn == c.turn) {
    if (!s.turn->is_interrupt_requested) d.emit(InterruptRequested{c.turn});
    return std::move(d.decision);
  }
  const bool is_queued = std::any_of(s.queue.begin(), s.queue.end(),
                                     [&](const QueuedTurn& q) { return q.turn == c.turn; });
  if (!is_queued) {
    return reject(RejectionCode::turn_not_running,
                  "turn " + c.turn.text() + " of session " + label(s) + " does not run");
  }
  d.emit(TurnInterrupted{c.turn, EndReason::user, {}});
  const bool was_last = !s.turn && s.queue.size() == 1;
  if (was_last && !s.spec.is_multi_turn) {
    d.close_empty(SessionStatus::killed, EndReason::user);
  } else if (was_last && s.is_close_requested) {
    d.close_as_asked();
  }
  return std::move(d.decision);
}

Outcome decide_one(Deciding d, const KillSession&) {
  const SessionState& s = d.session();
  if (auto bad = check_exists(s, d.context)) return tl::unexpected(*bad);
  if (is_terminal(s.status)) return Decision{};
  if (s.turn) d.emit(TurnInterrupted{s.turn->turn, EndReason::user, {}});
  d.close(SessionStatus::killed, EndReason::user);
  return std::move(d.decision);
}

Outcome decide_one(Deciding d, const CloseSession&) {
  const SessionState& s = d.session();
  if (auto bad = check_exists(s, d.context)) return tl::unexpected(*bad);
  if (is_terminal(s.status) || s.is_close_requested) return Decision{};
  d.emit(CloseRequested{});
  if (!s.lease && !s.turn && s.queue.empty()) d.close_as_asked();
  return std::move(d.decision);
}

Outcome decide_one(Deciding d, const GrantLease& c) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  if (s.lease && !mutant(Mutant::second_lease)) {
    return reject(RejectionCode::lease_held, "session " + label(s) + " has a lease already");
  }
  const FencingToken token = s.last_token.next();
  d.emit(LeaseGranted{c.worker, token, s.agent_session});
  if (!s.queue.empty()) d.start_next_turn(s.queue.front(), token);
  return std::move(d.decision);
}

Outcome decide_one(Deciding d, const ExpireLease& c) {
  const SessionState& s = d.session();
  if (!s.lease || s.lease->token != c.token) {
    return reject(RejectionCode::stale_token, "the lease is not held any more");
  }
  if (s.turn && !mutant(Mutant::turn_outlives_worker)) {
    d.emit(TurnInterrupted{s.turn->turn, EndReason::worker_lost, {}});
  }
  d.end_lease(LeaseExpired{c.token});
  const bool has_more = !s.queue.empty() || (s.spec.is_multi_turn && !s.is_close_requested);
  if (is_live(s.status) && !has_more) {
    d.close(SessionStatus::failed, EndReason::worker_lost);
  }
  return std::move(d.decision);
}

// A prompt that is lost ends its turn; a system prompt that is lost ends the session, whose agent
// must not be started without it.
Outcome decide_one(Deciding d, const GiveUpContent& c) {
  const SessionState& s = d.session();
  const bool is_opening = c.event == s.opened;
  const bool is_prompt = s.turn && s.turn->prompt == c.event;
  if (!is_live(s.status) || (!is_opening && !is_prompt)) return Decision{};
  const std::string what = is_opening ? "system prompt" : "prompt";
  if (s.turn) {
    TurnFailed failed;
    failed.turn = s.turn->turn;
    failed.subtype = is_opening ? "system_prompt_lost" : "prompt_lost";
    d.emit(failed, "the text of the " + what + " is not in the log any more, as after a salvage; " +
                       "the agent was not given the turn, send it again");
  }
  if (is_opening || !s.spec.is_multi_turn) {
    d.close(SessionStatus::failed, EndReason::turn_error);
  } else if (!s.queue.empty()) {
    d.start_next_turn(s.queue.front(), s.lease->token);
  } else if (s.is_close_requested) {
    d.close(SessionStatus::failed, EndReason::turn_error);
  }
  return std::move(d.decision);
}

// ---- erasure ----

// All the session's text; only when no more of it can come.
base::Result<VersionRanges, Rejection> all_content(const SessionState& s) {
  if (is_live(s.status)) {
    return tl::unexpected(Rejection{RejectionCode::content_in_use,
                                    "session " + label(s) + " is still " +
                                        std::string(base::enum_name(s.status)) +
                                        "; kill it first, or name the events whose text is to go"});
  }
  if (s.lease && !mutant(Mutant::whole_erasure_while_leased)) {
    return tl::unexpected(Rejection{
        RejectionCode::lease_held,
        "the agent process of session " + label(s) + " has not ended yet; try again in a moment"});
  }
  return normalized({{StreamVersion{1}, s.last_content}});
}

// What the agent has yet to be given: the system prompt, the prompts of this turn and of those that
// wait.
std::optional<Rejection> check_not_in_use(const SessionState& s, const VersionRanges& events) {
  if (!is_live(s.status) || mutant(Mutant::waiting_prompt_erased)) return std::nullopt;
  std::vector<StreamVersion> needed{StreamVersion{1}};
  if (s.turn) needed.push_back(s.turn->version);
  for (const QueuedTurn& queued : s.queue) needed.push_back(queued.version);
  for (const StreamVersion version : needed) {
    if (!contains(events, version)) continue;
    return Rejection{RejectionCode::content_in_use,
                     "the agent of session " + label(s) + " is yet to be given the text of event " +
                         std::to_string(version.value) +
                         " of its stream; wait for the end of that turn, or kill the session"};
  }
  return std::nullopt;
}

base::Result<VersionRanges, Rejection> named_content(const Deciding& d,
                                                     const VersionRanges& events) {
  for (const VersionRange& range : events) {
    if (range.first.value >= 1 && range.first <= range.last && range.last <= d.context.version) {
      continue;
    }
    return tl::unexpected(
        Rejection{RejectionCode::invalid, "session " + label(d.session()) + " has events 1 to " +
                                              std::to_string(d.context.version.value) + ", not " +
                                              std::to_string(range.first.value) + " to " +
                                              std::to_string(range.last.value)});
  }
  VersionRanges named = normalized(events);
  // A name that was made of the prompt's words goes with the prompt.
  const StreamVersion name = d.session().made_name.version;
  if (name.value > 0 && contains(named, name.next()) &&
      !mutant(Mutant::made_name_outlives_prompt)) {
    named = united(named, {{name, name}});
  }
  if (auto bad = check_not_in_use(d.session(), named)) return tl::unexpected(*bad);
  return named;
}

Outcome erase(Deciding d, const VersionRanges& events, ErasureReason reason) {
  const SessionState& s = d.session();
  if (auto bad = check_exists(s, d.context)) return tl::unexpected(*bad);
  const auto wanted = events.empty() ? all_content(s) : named_content(d, events);
  if (!wanted) return tl::unexpected(wanted.error());
  const auto stretches = static_cast<std::int64_t>(united(s.erased, *wanted).size());
  if (stretches > d.context.limits.erased_max) {
    return reject(RejectionCode::limit_reached,
                  "session " + label(s) + " would have " + std::to_string(stretches) +
                      " stretches of erased events, of " +
                      std::to_string(d.context.limits.erased_max) +
                      " at most; name fewer and longer ones, or erase all of it");
  }
  VersionRanges fresh = without(*wanted, s.erased);
  if (!fresh.empty()) d.emit(ContentErased{std::move(fresh), reason});
  return std::move(d.decision);
}

Outcome decide_one(Deciding d, const EraseContent& c) {
  return erase(std::move(d), c.events, ErasureReason::requested);
}

Outcome decide_one(Deciding d, const ExpireContent&) {
  return erase(std::move(d), {}, ErasureReason::retention);
}

Outcome decide_one(Deciding d, const CompleteErasure& c) {
  const SessionState& s = d.session();
  if (c.through > s.erasure || c.through <= s.erasure_completed) return Decision{};
  d.emit(ContentErasureCompleted{c.through});
  return std::move(d.decision);
}

// ---- reports ----

bool is_current(const SessionState& s, const TurnId& turn) {
  return s.turn && s.turn->turn == turn;
}

void report(Deciding& d, const ReportAgentStarted& r) {
  d.emit(AgentStarted{r.pid, r.start_ticks});
}

void report(Deciding& d, const ReportStartFailed& r) {
  const SessionState& s = d.session();
  d.emit(AgentStartFailed{}, r.text);
  d.end_lease(LeaseReleased{s.lease->token});
  if (!is_live(s.status)) return;
  if (s.turn) d.emit(TurnInterrupted{s.turn->turn, EndReason::start_failed, {}});
  d.close(SessionStatus::failed, EndReason::start_failed);
}

void report(Deciding& d, const ReportInitialized& r) {
  d.emit(AgentInitialized{r.agent_session, r.model, r.agent_version});
}

void report(Deciding& d, const ReportOutput& r) {
  d.emit(OutputRecorded{r.turn, d.session().blocks + 1, r.kind, r.parent}, r.text);
}

void report(Deciding& d, const ReportPartialOutput& r) {
  d.emit(PartialOutputRecorded{r.turn, d.session().blocks + 1}, r.text);
}

void report(Deciding& d, const ReportToolCallStarted& r) {
  d.emit(ToolCallStarted{r.turn, r.call, r.tool, r.parent}, r.input);
}

void report(Deciding& d, const ReportToolCallFinished& r) {
  d.emit(ToolCallFinished{r.turn, r.call, r.is_error, r.is_denied, r.parent}, r.output);
}

void report(Deciding& d, const ReportAgentLine& r) {
  d.emit(AgentLineRecorded{r.fault, r.line_bytes}, r.line);
}

void report(Deciding& d, const ReportTurnResult& r) {
  const SessionState& s = d.session();
  if (!is_current(s, r.turn)) {
    d.emit(ReportIgnored{std::string(r.kType)});
    return;
  }
  TurnCost cost{r.usage, {}, r.agent_total, r.model_calls, r.took};
  // Both totals are the agent's word, so their difference may be more than the wire can carry.
  const std::int64_t before = mutant(Mutant::cost_of_all_turns) ? 0 : s.agent_total.value;
  cost.cost.value =
      std::clamp<std::int64_t>(r.agent_total.value - before, 0, base::kIntegerLimit - 1);
  const bool is_interrupted = r.is_error && s.turn->is_interrupt_requested;
  if (is_interrupted) {
    d.emit(TurnInterrupted{r.turn, EndReason::user, cost});
  } else if (r.is_error) {
    d.emit(TurnFailed{r.turn, r.subtype, r.terminal_reason, r.api_status, cost}, r.text);
  } else {
    d.emit(TurnFinished{r.turn, cost}, r.text);
  }
  if (r.is_error && !is_interrupted) {
    const bool is_budget = r.subtype == "error_max_budget_usd";
    d.close(SessionStatus::failed, is_budget ? EndReason::budget : EndReason::turn_error);
  } else if (!s.spec.is_multi_turn && is_interrupted) {
    d.close(SessionStatus::killed, EndReason::user);
  } else if (!s.spec.is_multi_turn) {
    // A result of an agent that never said hello is no run.
    const bool has_run = s.status == SessionStatus::running;
    d.close(has_run ? SessionStatus::completed : SessionStatus::failed,
            has_run ? EndReason::none : EndReason::turn_error);
  } else if (!s.queue.empty()) {
    if (is_interrupted && mutant(Mutant::queue_stops_at_interrupt)) return;
    d.start_next_turn(s.queue.front(), s.lease->token);
  } else if (s.is_close_requested) {
    d.close_as_asked();
  }
}

void report(Deciding& d, const ReportAgentExited& r) {
  const SessionState& s = d.session();
  d.emit(AgentExited{r.exit_code, r.signal}, r.stderr_tail);
  d.end_lease(LeaseReleased{s.lease->token});
  if (!is_live(s.status)) return;
  // Agents exit with 1 when their last result was an error, such as an interrupted turn.
  const bool is_clean = r.exit_code <= 1 && r.signal == 0 && !s.turn && s.queue.empty();
  if (s.turn) d.emit(TurnInterrupted{s.turn->turn, EndReason::agent_exited, {}});
  if (is_clean && s.is_close_requested) {
    d.close_as_asked();
  } else {
    d.close(SessionStatus::failed, EndReason::agent_exited);
  }
}

Outcome decide_one(Deciding d, const LeaseReport& c) {
  const SessionState& s = d.session();
  const bool is_holder = s.lease && s.lease->token == c.token;
  if (!is_holder && !(s.lease && mutant(Mutant::ignore_fencing_token))) {
    base::rare(base::Rare::stale_token);
    return reject(RejectionCode::stale_token, "token " + std::to_string(c.token.value) +
                                                  " does not hold session " +
                                                  d.context.session.text() + " any more");
  }
  const std::int64_t known = s.lease->report_sequence;
  if (c.sequence <= known && is_holder && !mutant(Mutant::report_taken_twice)) {
    base::rare(base::Rare::report_repeated);
    return Decision{};
  }
  if (c.sequence > known + 1 && is_holder && !mutant(Mutant::report_gap_taken)) {
    base::rare(base::Rare::report_gap);
    return reject(RejectionCode::report_gap, "report " + std::to_string(known + 1) + " is missing");
  }
  std::visit([&](const auto& r) { report(d, r); }, c.report);
  return std::move(d.decision);
}

Outcome decide_one(Deciding d, const ClientCommand& command) {
  const SessionState& s = d.session();
  // Ending a session and erasing it must be possible whatever has become of it.
  const bool is_always_taken =
      std::holds_alternative<KillSession>(command) || std::holds_alternative<EraseContent>(command);
  if (s.inconsistent.value != 0 && !is_always_taken) {
    return reject(RejectionCode::inconsistent, "session " + label(s) +
                                                   " contradicts itself at position " +
                                                   std::to_string(s.inconsistent.value) +
                                                   "; it can only be killed, erased or exported");
  }
  if (static_cast<std::int64_t>(s.commands.size()) >= d.context.limits.commands_max &&
      !is_always_taken) {
    return reject(RejectionCode::limit_reached,
                  "session " + label(s) + " has taken " + std::to_string(s.commands.size()) +
                      " commands, as many as it remembers; resume it as a new session");
  }
  return std::visit(
      [&](const auto& c) {
        Outcome outcome = decide_one(std::move(d), c);
        if (outcome && outcome->empty()) {
          outcome->push_back({StreamRole::session, NothingChanged{std::string(c.kType)}, {}});
        }
        return outcome;
      },
      command);
}

Outcome decide_one(Deciding d, const ServerCommand& command) {
  return std::visit([&](const auto& c) { return decide_one(std::move(d), c); }, command);
}

}  // namespace

Outcome decide(const DecisionStates& states, const Command& command,
               const DecisionContext& context) {
  return std::visit(
      [&](const auto& c) {
        return decide_one(Deciding{states, context}, c);
      },
      command);
}

}  // namespace domain
