// The common part of decisions about a session: a decision being made, and frequent checks.
#pragma once

#include <algorithm>
#include <utility>

#include "eventlog/base/rare_branches.hpp"
#include "eventlog/base/usd_text.hpp"
#include "eventlog/domain/admission/admission.hpp"
#include "eventlog/domain/budget/budget.hpp"
#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/lineage/lineage.hpp"
#include "eventlog/domain/outbox/outbox.hpp"
#include "eventlog/domain/registry/registry.hpp"
#include "eventlog/domain/rules/rules.hpp"
#include "eventlog/domain/session/session.hpp"
#include "eventlog/domain/total_budget/total_budget.hpp"

namespace domain {

// Returns what the events of a session's own stream add to its cost.
NanoUsd spent_by(const Decision& decision);
// Returns what the session and its relatives have spent; `lineage` null: it has none.
NanoUsd spent_by(const SessionState& session, const LineageState* lineage);
// Returns what the session has used once the events of its own stream are folded.
Use use_after(const SessionState& session, const Decision& decision);

// One decision being made: its input, and the events emitted so far.
struct Deciding {
  const States& states;
  const Context& context;
  Decision decision{};
  bool has_lease = session().lease.has_value();     // after the emitted events
  bool has_own_turn = session().own_turn.is_set();  // likewise
  bool has_returned_turn = false;                   // no agent works on the current turn
  bool has_released = false;                        // the agent's own session
  bool has_lifted_limit = false;                    // of use

  const SessionState& session() const { return states.target<SessionStream>(); }
  const std::string& agent() const { return context.target.agent; }

  template <class E>
  void emit(E fact) {
    decision.emit<SessionStream>(std::move(fact));
  }
  template <class E>
  void emit(E fact, std::string text) {
    decision.emit<SessionStream>(std::move(fact), std::move(text));
  }
  template <class Aggregate, class E>
  void emit_to(std::string stream, E fact) {
    decision.emit_to<Aggregate>(std::move(stream), std::move(fact));
  }
  // True if the session is, or would be, the one that admission knows under its id. Earlier
  // releases admitted an id for two agents.
  bool is_admitted() const {
    const auto* admission = states.find<AdmissionStream>(kAdmissionStream);
    return admission == nullptr || is_known_to(admission->live);
  }
  bool is_unsettled() const {
    const auto* admission = states.find<AdmissionStream>(kAdmissionStream);
    return admission == nullptr || is_known_to(admission->unsettled);
  }
  bool is_known_to(const std::map<SessionId, std::string>& sessions) const {
    const auto known = sessions.find(context.target.id);
    return known != sessions.end() && known->second == agent();
  }
  // True if the session has a place among those that run, or would get one now.
  bool has_place() const {
    const auto* admission = states.find<AdmissionStream>(kAdmissionStream);
    return admission == nullptr || !is_known_to(admission->live) ||
           domain::has_place(*admission, context.target.id, context.limits.max_sessions);
  }
  template <class E>
  void emit_to_registry(E fact) {
    emit_to<RegistryStream>(registry_stream(agent()), std::move(fact));
  }
  template <class E>
  void emit_to_admission(E fact) {
    emit_to<AdmissionStream>(std::string(kAdmissionStream), std::move(fact));
  }

  // The state of the session's lineage; null if the session has no relatives.
  const LineageState* lineage() const {
    if (!has_relatives(session())) return nullptr;
    return states.find<LineageStream>(lineage_stream(agent(), session().lineage));
  }

  // Returns what the session and its relatives have spent, without this decision.
  NanoUsd spent_before() const { return spent_by(session(), lineage()); }

  // Calls `see` with each budget that holds for the session, and what was spent of it before this
  // decision: its own, and those of the sessions by which it was launched.
  template <class See>
  void for_each_budget(const See& see) const {
    if (session().spec.budget.value > 0) see(session().spec.budget, spent_before());
    for (const Payer& payer : *session().payers) {
      const auto* lineage = states.find<LineageStream>(lineage_stream(agent(), payer.lineage));
      if (lineage != nullptr && payer.budget.value > 0) see(payer.budget, lineage->spent);
    }
  }

  // Returns what is left of the least of these budgets after the events emitted so far, below zero
  // if more was spent; none: there is no budget.
  std::optional<NanoUsd> left_of_budgets() const {
    std::optional<NanoUsd> least;
    const std::int64_t more = spent_by(decision).value;
    for_each_budget([&](NanoUsd budget, NanoUsd spent) {
      const NanoUsd left{budget.value - spent.value - more};
      if (!least || left < *least) least = left;
    });
    return least;
  }
  bool is_over_budget() const {
    const std::optional<NanoUsd> left = left_of_budgets();
    return left && left->value <= 0;
  }

  // Returns the limit of the session that its use has reached, after the events emitted so far;
  // none: it can go on.
  EndReason used_up() const { return is_over_budget() ? EndReason::budget : limit_reached(); }
  // As used_up(), of what is limited besides money.
  EndReason limit_reached() const {
    return domain::used_up(*session().spec.use_limits, use_after(session(), decision));
  }

  // Return what the agent's sessions have spent today and over all days, and those of all agents
  // today, without this decision.
  NanoUsd spent_today() const {
    const auto* budget = states.find<BudgetStream>(budget_stream(agent()));
    return budget == nullptr ? NanoUsd{} : spent_on_day(*budget, context.wall);
  }
  NanoUsd spent_by_agent() const {
    const auto* budget = states.find<BudgetStream>(budget_stream(agent()));
    return budget == nullptr ? NanoUsd{} : budget->total;
  }
  NanoUsd spent_by_all_today() const {
    const auto* budget = states.find<TotalBudgetStream>(kTotalBudgetStream);
    return budget == nullptr ? NanoUsd{} : spent_on_day(*budget, context.wall);
  }

  // True if nothing is left of `cap`, of which so much was spent before this decision.
  bool is_over(NanoUsd cap, NanoUsd before) const {
    return cap.value > 0 && before.value + spent_by(decision).value >= cap.value;
  }
  // Returns the cap beside the session's own budget of which nothing is left, after the events
  // emitted so far; none: all have something left.
  EndReason cap_reached() const {
    const Limits& limits = context.limits;
    if (is_over(limits.agent_budget, spent_by_agent())) return EndReason::agent_budget;
    const bool is_day_over = is_over(limits.daily_budget, spent_today()) ||
                             is_over(limits.total_daily_budget, spent_by_all_today());
    return is_day_over ? EndReason::daily_budget : EndReason::none;
  }

  // Returns until when the provider takes nothing more from the session's agent; 0: it does.
  Time usage_limit() const {
    if (has_lifted_limit) return {};
    const auto* budget = states.find<BudgetStream>(budget_stream(agent()));
    const Time until = budget == nullptr ? Time{} : limited_until(*budget, session().spec.engine);
    return until > context.wall ? until : Time{};
  }

  // Prompts wait and a turn has failed: pauses their queue, unless the session goes on regardless,
  // or what the next turn finds decides. Returns true if it is paused.
  bool pause_queue(EndReason failure) {
    if (session().pause != EndReason::none) return true;
    if (session().spec.continues_after_failure || is_cap(failure)) return false;
    emit(QueuePaused{failure});
    return true;
  }

  // Ends the current turn, whose prompt no agent was given. It is the first of the queue again,
  // unless somebody asked it to end. Returns true if it is.
  bool return_turn() {
    const CurrentTurn& turn = *session().turn;
    has_returned_turn = true;
    if (turn.is_interrupt_requested) emit(TurnInterrupted{turn.turn, interrupt_reason(turn), {}});
    if (!turn.is_interrupt_requested) emit(returned(0, turn.starts));
    if (turn.is_interrupt_requested) close_deferred(AskEnd::withdrawn);
    const bool is_deferred = !turn.deferred->empty() && !turn.is_interrupt_requested;
    if (is_deferred && waits_for_answer()) emit(QueuePaused{EndReason::deferred});
    return !turn.is_interrupt_requested;
  }

  // No agent could begin with the current turn, and the lease has ended. The prompt is the first of
  // the queue again, and is tried again after a while. A session of one prompt fails with the last
  // attempt; others wait for a person.
  void return_unbegun(EndReason why) {
    const SessionState& s = session();
    const CurrentTurn& turn = *s.turn;
    const std::int64_t starts = turn.starts + 1;
    const bool is_last = starts >= kStartsMax;
    if (turn.is_interrupt_requested) {
      const EndReason reason = interrupt_reason(turn);
      return_turn();
      if (!s.queue.empty()) return;
      if (!s.spec.is_multi_turn) {
        const bool is_asked = reason == EndReason::user;
        return close_empty(is_asked ? SessionStatus::killed : SessionStatus::failed, reason);
      }
      return s.is_close_requested ? close_as_asked() : void();
    }
    if (is_last && (!s.spec.is_multi_turn || !s.descriptor->conversation.empty())) {
      interrupt_turns(why);
      return close(SessionStatus::failed, why);
    }
    has_returned_turn = true;
    emit(returned(0, starts));
    const Time until = is_last ? Time{} : context.wall + kStartPauses[starts - 1];
    emit(QueuePaused{why, until});
  }

  // True if by the session's policy the current turn is given to another agent, once its own is
  // lost.
  bool can_retry() const {
    const CurrentTurn& turn = *session().turn;
    return session().spec.restart_policy == RestartPolicy::retry &&
           turn.attempts + 1 < kTurnAttemptsMax && !turn.is_interrupt_requested;
  }

  // The agent was lost with the current turn. If that can be retried, its prompt is the first of
  // the queue again. Returns true if it is.
  bool retry_turn() {
    if (!can_retry()) return false;
    const CurrentTurn& turn = *session().turn;
    // The agent can have spent more than it told.
    const TurnCost cost = booked(told(turn.turn, session().turn_spent));
    emit(SpendingRecorded{turn.turn, {}, cost.basis});
    emit(TurnReturned{turn.turn, turn.attempts + 1});
    return true;
  }

  // Ends the prompts for whose start it is too late. Returns the first of the others; null: there
  // is none.
  const QueuedTurn* expire_prompts() {
    const QueuedTurn* next = nullptr;
    for (const QueuedTurn& queued : session().queue) {
      if (is_too_late(queued, context.wall)) {
        emit(TurnInterrupted{queued.turn, EndReason::expired, {}});
      } else if (next == nullptr) {
        next = &queued;
      }
    }
    return next;
  }

  // The last prompt of the queue has ended unstarted, and no turn is under way.
  void settle_emptied(SessionStatus status, EndReason reason) {
    const SessionState& s = session();
    if (!s.spec.is_multi_turn) return close_empty(status, reason);
    if (s.is_close_requested && is_at_rest(s.tasks)) close_as_asked();
  }

  // As start_turn(), with the first prompt of the queue that is not too late.
  void start_next_turn(FencingToken token) {
    const QueuedTurn* next = expire_prompts();
    if (next == nullptr) return settle_emptied(SessionStatus::failed, EndReason::expired);
    start_turn(*next, token);
  }

  // Starts a turn. A session that has used up what it may fails instead; behind a cap its prompts
  // wait. No turn may be under way.
  void start_turn(const QueuedTurn& next, FencingToken token) {
    const EndReason limit = used_up();
    if (limit != EndReason::none) return close(SessionStatus::failed, limit);
    if (const EndReason cap = cap_reached(); cap != EndReason::none) return emit(QueuePaused{cap});
    if (const Time until = usage_limit(); until.us != 0) {
      return emit(QueuePaused{EndReason::usage_limit, until});
    }
    emit(TurnStarted{next.turn, token});
  }

  // Ends the current turn and the agent's own, as far as there are such.
  void interrupt_turns(EndReason reason) {
    if (session().turn) interrupt_turn(reason);
    interrupt_own_turn(reason);
  }

  // Ends the current turn, of which no result will come. It has cost what was booked for it.
  void interrupt_turn(EndReason reason) {
    const TurnId turn = session().turn->turn;
    if (!session().turn->deferred->empty()) close_deferred(AskEnd::withdrawn);
    const bool has_begun = reason != EndReason::start_failed;
    emit(TurnInterrupted{turn, reason,
                         has_begun ? booked(told(turn, session().turn_spent)) : TurnCost{}});
  }

  void interrupt_own_turn(EndReason reason) {
    if (std::exchange(has_own_turn, false)) {
      const TurnId turn = session().own_turn;
      emit(TurnInterrupted{turn, reason, booked(told(turn, session().own_spent))});
    }
  }

  // Returns what is recorded for the turn, with the events of this decision.
  Spending told(TurnId turn, Spending before) const {
    for (const Emitted& emitted : decision) {
      const auto* more = emitted.event.as<SpendingRecorded>();
      if (more != nullptr && more->turn == turn) add(before, more->spent);
    }
    return before;
  }

  // True if the agent can have spent more, between its turns, than it told. Its results correct
  // what is seen while it works; the turns that end with it are marked by themselves. A worker that
  // is lost may have heard more of its tasks. A subagent that ends with its agent may be in a call
  // of the model, which no frame tells any more.
  bool has_untold_cost(bool is_worker_lost) const {
    const SessionState& s = session();
    const bool has_turn = s.turn && !has_returned_turn;
    if (has_turn || s.own_turn.is_set() || s.basis >= CostBasis::at_least) return false;
    const bool is_uncorrected = s.agent_total.value > 0 && s.beyond_total.value > 0;
    return is_uncorrected || s.subagents > 0 || (is_worker_lost && s.tasks > 0);
  }

  // Ends the lease with `event`; if the session is closed already, that also settles it. `given` is
  // the last answer that the agent process can have been given without its worker's telling.
  template <class LeaseEnd>
  void end_lease(LeaseEnd event, Position given = {}) {
    if (has_untold_cost(std::same_as<LeaseEnd, LeaseExpired>)) {
      emit(SpendingRecorded{{}, {}, CostBasis::at_least});
    }
    const SessionState& s = session();
    const bool has_ended = is_terminal(s.status);
    if (s.tasks > 0 && !has_ended) emit(TasksLost{s.tasks});
    for (const OpenAsk& ask : *s.asks) {
      if (has_closed(ask) || (ask.is_deferred && !has_ended)) continue;
      const bool is_unheard = !has_ended && is_of_person(ask) && ask.answer > given;
      emit(AskClosed{ask.ask, is_unheard ? AskEnd::unheard : AskEnd::agent_gone, ask.point});
    }
    emit(event);
    has_lease = false;
    // The answer came while the agent ended.
    if (!has_ended && s.pause == EndReason::deferred && !waits_for_answer()) emit(QueueContinued{});
    if (has_ended && is_unsettled()) emit_to_admission(SessionSettled{s.session});
    // The next agent process does not go on with a transcript that is not whole.
    if (has_ended || s.lease->is_unsaved) release_agent_session();
  }

  // True if an event of this decision ends the request.
  bool has_closed(const OpenAsk& ask) const {
    return std::any_of(decision.begin(), decision.end(), [&](const Emitted& emitted) {
      const auto* closed = emitted.event.as<AskClosed>();
      return closed != nullptr && closed->ask == ask.ask;
    });
  }

  // Ends what a process is to ask again that will not be started.
  void close_deferred(AskEnd end) {
    for (const OpenAsk& ask : *session().asks) {
      if (ask.is_deferred && !has_closed(ask)) emit(AskClosed{ask.ask, end, ask.point});
    }
  }

  // True if a request that is deferred has no answer yet, after the events emitted so far.
  bool waits_for_answer() const {
    const auto is_answered_now = [this](const OpenAsk& ask) {
      return std::any_of(decision.begin(), decision.end(), [&](const Emitted& emitted) {
        const auto* answered = emitted.event.as<AskAnswered>();
        return answered != nullptr && answered->ask == ask.ask;
      });
    };
    return std::any_of(session().asks->begin(), session().asks->end(), [&](const OpenAsk& ask) {
      return ask.is_deferred && ask.verdict == AskVerdict::none && !is_answered_now(ask) &&
             !has_closed(ask);
    });
  }

  // Called once what is deferred is answered, or over: the queue goes on with another process.
  void go_on_with_answer() {
    const SessionState& s = session();
    if (!s.lease && s.pause == EndReason::deferred && !waits_for_answer()) emit(QueueContinued{});
  }

  // Returns the event that makes the current turn the first of the queue again. One that was
  // deferred stays so until its agent has heard the answer.
  TurnReturned returned(std::int64_t attempts, std::int64_t starts) const {
    const CurrentTurn& turn = *session().turn;
    return {turn.turn, attempts, starts, turn.deferred};
  }

  // Records that no process of the session uses the agent's own session any more.
  void release_agent_session() {
    const SessionSpec& spec = session().spec;
    if (spec.resume_agent_session->empty() || spec.is_fork) return;
    if (std::exchange(has_released, true)) return;
    emit_to_registry(AgentSessionReleased{session().session, spec.resume_agent_session});
  }

  // The budget is spent while the agent works. A prompt's turn is interrupted first. An agent that
  // goes on regardless, or works without a prompt, is ended with its session.
  void stop_spending() {
    const SessionState& s = session();
    if (s.turn && !s.turn->is_over_budget) {
      return emit(InterruptRequested{s.turn->turn, EndReason::budget});
    }
    if (s.turn && context.now - s.turn->asked_at < kInterruptGrace) return;
    fail(EndReason::budget);
  }

  // Interrupts what the agent does, for a limit, unless it was before.
  void interrupt_work(EndReason limit) {
    const SessionState& s = session();
    if (s.turn) {
      if (!is_stopped(*s.turn)) emit(InterruptRequested{s.turn->turn, limit});
    } else if (s.own_turn.is_set() && s.own_stop == EndReason::none && s.own_asked_at.us == 0) {
      emit(InterruptRequested{s.own_turn, limit});
    }
  }

  // As interrupt_work(). An agent that goes on regardless, or works without a turn, is ended with
  // its session.
  void stop_work(EndReason limit) {
    const SessionState& s = session();
    if (s.turn) return stop_turn(s.turn->turn, limit);
    if (s.own_turn.is_set()) return stop_turn(s.own_turn, limit);
    if (s.tasks > 0) fail(limit);
  }

  // The turn has reached a limit: it is interrupted first, and an agent that goes on regardless is
  // ended with its session. A turn that is over is left alone: what goes on of it is not known.
  void stop_turn(TurnId turn, EndReason limit) {
    const SessionState& s = session();
    const bool is_own = turn.is_set() && s.own_turn == turn;
    if (!is_own && (!s.turn || s.turn->turn != turn)) return;
    const Time asked_at = is_own ? s.own_asked_at : s.turn->asked_at;
    const EndReason stop = is_own ? s.own_stop : s.turn->stop;
    const bool is_over_budget = !is_own && s.turn->is_over_budget;
    if (stop == EndReason::none && asked_at.us == 0 && !is_over_budget) {
      return emit(InterruptRequested{turn, limit});
    }
    if (context.now - asked_at < kInterruptGrace) return;
    fail(is_over_budget ? EndReason::budget : stop == EndReason::none ? limit : stop);
  }

  // Ends what is under way, and the session.
  void fail(EndReason reason) {
    interrupt_turns(reason);
    close(SessionStatus::failed, reason);
  }

  // Decides what follows the failure of a prompt's turn, which an event of this decision has ended.
  // The session goes on if its agent can.
  void go_on_or_fail(EndReason failure) {
    const SessionState& s = session();
    // A session whose agents never introduced themselves cannot begin the next time either.
    const bool can_go_on =
        s.spec.is_multi_turn && s.status == SessionStatus::running && !is_spent(failure);
    const bool is_waiting = !s.queue.empty();
    if (!can_go_on || (!is_waiting && s.is_close_requested)) {
      close(SessionStatus::failed, failure);
    } else if (is_waiting && !pause_queue(failure) && has_lease) {
      start_next_turn(s.lease->token);
    }
  }

  // True if an event of this decision interrupts the turn.
  bool has_ended(TurnId turn) const {
    return std::any_of(decision.begin(), decision.end(), [turn](const Emitted& emitted) {
      const auto* ended = emitted.event.as<TurnInterrupted>();
      return ended != nullptr && ended->turn == turn;
    });
  }

  // Ends all queued turns, then the session, and frees its name and its place. The current turn
  // must have been ended by an event of this decision, or not exist.
  void close(SessionStatus status, EndReason reason) {
    for (const QueuedTurn& queued : session().queue) {
      if (!has_ended(queued.turn)) emit(TurnInterrupted{queued.turn, EndReason::session_ended, {}});
    }
    close_empty(status, reason);
  }

  // True if that many tasks in the background keep the session from its end.
  bool waits_for(std::int64_t tasks) const { return tasks > 0 && !session().is_close_now; }

  // True if the agent does nothing by itself for which the session is to wait.
  bool is_at_rest(std::int64_t tasks) const { return !has_own_turn && !waits_for(tasks); }

  // Called where no prompt's turn is under way, or the last one has just succeeded. Ends the
  // session if it has nothing left to do and is not to wait for more. `tasks` run in the
  // background.
  void settle(std::int64_t tasks) {
    const SessionState& s = session();
    if (!s.queue.empty() || !is_at_rest(tasks)) return;
    if (s.spec.is_multi_turn) return s.is_close_requested ? close_as_asked() : void();
    // A result from an agent that never sent its init message is not a run.
    const bool has_run = s.status == SessionStatus::running;
    close(has_run ? SessionStatus::completed : SessionStatus::failed,
          has_run ? overrun() : EndReason::turn_error);
  }

  // Closes a session that was asked to close and has nothing left to do. It is completed only if it
  // has run.
  void close_as_asked() {
    const bool has_run = session().status == SessionStatus::running;
    close_empty(has_run ? SessionStatus::completed : SessionStatus::killed,
                has_run ? overrun() : EndReason::user);
  }

  // What the agent did in its last call is kept, also if that was too dear. The end says so.
  EndReason overrun() const { return is_over_budget() ? EndReason::budget : EndReason::none; }

  // As close(), when no turn is queued once the decision's events have been folded.
  void close_empty(SessionStatus status, EndReason reason) {
    interrupt_own_turn(EndReason::session_ended);
    emit(SessionClosed{status, reason});
    if (!session().name.empty()) {
      emit_to_registry(NameReleased{session().session, session().name});
    }
    if (!has_lease) close_deferred(AskEnd::agent_gone);
    if (!has_lease) release_agent_session();
    if (is_admitted()) emit_to_admission(SessionReleased{session().session, has_lease});
  }
};

// Refuses what would spend more than the budget; `what_next` tells how to go on.
Rejection over_budget(const Deciding& d, std::string_view what_next);
Rejection over_budget(const SessionState& session, NanoUsd spent, NanoUsd budget,
                      std::string_view what_next);

// Adds requests for the notifications that the decision gives cause to. A decision without access
// to the outbox gives none.
Decided notifying(Decided decided, const States& states, const Context& context);

// Adds a request to tell hooks of the session's end, if the decision ends it. Call it last.
Decided telling_hooks(Decided decided, const States& states, const Context& context);

// Drops the requests for notifications of the session that wait, and adds none.
Decided silencing(Decided decided, const States& states, const Context& context);

// Adds requests to tell the session's channels what was said to it elsewhere.
Decided echoing(Decided decided, const SendPrompt& said, const States& states,
                const Context& context);

// Returns none if a prompt can still be started at that time.
std::optional<Rejection> check_start(Time start_before, const Context& context);

// Refuses what needs a place while as many sessions run as may; `what_next` tells how to go on.
Rejection no_place(const AdmissionState& admission, const Context& context,
                   std::string_view what_next);

// Refuses what would spend more than a cap that is reached.
Rejection over_cap(const Deciding& d);

// Adds what the decision's events mean for the session's place among those that run: it is parked,
// waits for a place, or has one again.
Decided placing(Decided decided, const States& states, const Context& context);
// Adds what the conversation for which the session works is to know.
Decided telling_conversation(Decided decided, const SessionCommand& command, const States& states,
                             const Context& context);

// Adds what the decision's events tell the streams of money: those of the lineage, the agent and
// all agents. If the lineage has spent the budget by it, all its sessions at work are interrupted.
Decided accounting(Decided decided, const States& states, const Context& context);

// Refuses labels that cannot be, or that are too many beside those that the session has.
std::optional<Rejection> check_labels(const std::vector<std::string>& has,
                                      const std::vector<std::string>& added);
// Returns the live session, of any agent, that holds the name; none if the name is free. The
// decision must read the registry and admission.
std::optional<NameHolder> holder_of(const Deciding& d, const std::string& name);
// Refuses a name that another live session has.
std::optional<Rejection> check_name_free(const Deciding& d, const std::string& name);
// Returns the alias of the session that is admitted next.
std::string choose_alias(const AdmissionState& admission, SessionId session);

// Return none if the session exists, or lives.
std::optional<Rejection> check_exists(const SessionState& s, const Context& context);
std::optional<Rejection> check_live(const SessionState& s, const Context& context);
// Returns none if the prompt can be given to an agent that takes files. With files it can be empty.
std::optional<Rejection> check_prompt(const std::string& prompt, const PromptFiles& files);
// Records the files of the prompt that is recorded next. Returns what that says of them.
std::vector<FileFacts> attach(Deciding& d, TurnId turn, const PromptFiles& files);
std::optional<Rejection> check_size(const char* what, const std::string& text,
                                    std::int64_t bytes_max = kContentBytesMax);

// Decide what the agent asks of people.
void raise_ask(Deciding& d, const ReportAskRaised& r);
void close_ask(Deciding& d, const ReportAskClosed& r);
// Answers for those who did not, in time.
void answer_unanswered(Deciding& d);
// The text of an answer is lost. Returns false if the event is no such answer that waits.
bool give_up_answer(Deciding& d, Position event);

Decided decide_one(Deciding d, const Spawn& c);
Decided decide_one(Deciding d, const SendPrompt& c);
Decided decide_one(Deciding d, const InterruptTurn& c);
Decided decide_one(Deciding d, const KillSession& c);
Decided decide_one(Deciding d, const CloseSession& c);
Decided decide_one(Deciding d, const ContinueSession& c);
Decided decide_one(Deciding d, const DismissAttention& c);
Decided decide_one(Deciding d, const LabelSession& c);
Decided decide_one(Deciding d, const RenameSession& c);
Decided decide_one(Deciding d, const ChangeSettings& c);
Decided decide_one(Deciding d, const AnswerAsk& c);
Decided decide_one(Deciding d, const ConcludeHooks& c);
Decided decide_one(Deciding d, const AnswerAsEarlier& c);
Decided decide_one(Deciding d, const SteerTurn& c);
Decided decide_one(Deciding d, const SetForeground& c);
Decided decide_one(Deciding d, const MarkSeen& c);
Decided decide_one(const Deciding& d, const EraseContent& c);
Decided decide_one(Deciding d, const ImportTranscript& c);
Decided decide_one(Deciding d, const GrantLease& c);
Decided decide_one(Deciding d, const ExpireLease& c);
Decided decide_one(Deciding d, const PassDeadline& c);
Decided decide_one(Deciding d, const GiveUpContent& c);
Decided decide_one(const Deciding& d, const ExpireContent& c);
Decided decide_one(const Deciding& d, const CompleteErasure& c);
Decided decide_one(Deciding d, const LeaseReport& c);

}  // namespace domain
