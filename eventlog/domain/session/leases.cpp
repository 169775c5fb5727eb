// Decides leases: who runs a session's agent, and how the session goes on when a worker or a text
// is lost.
#include <algorithm>

#include "eventlog/domain/session/deciding.hpp"

namespace domain {

namespace {

// Returns the running total with which the session's next agent process should begin; none: it is
// not known, or nobody can have added to it. A fork begins with that of its source at that moment.
std::optional<NanoUsd> total_at_start(const Deciding& d) {
  const SessionState& s = d.session();
  const bool is_new = s.spec.resume_agent_session->empty();
  const bool is_first = begins_as_opened(s);
  if (is_first && (is_new || s.spec.is_fork || is_foreign(s))) return std::nullopt;
  // The first result tells what a conversation from elsewhere has cost before.
  if (is_foreign(s) && s.agent_total.value == 0) return std::nullopt;
  const LineageState* all = d.lineage();
  if (all == nullptr) return running_total(s);
  return total_of(*all, is_first ? *s.spec.resume_agent_session : s.agent_session);
}

// Returns the last message that the agent session should have; empty: its agent process can have
// said more than is on the record, or is to begin elsewhere.
std::string message_to_find(const SessionState& s) {
  if (!s.is_heard) return {};
  const bool is_elsewhere = begins_as_opened(s) && (s.spec.resume_agent_session->empty() ||
                                                    s.spec.resumed_at != ResumedAt::end);
  return is_elsewhere ? std::string() : s.last_message;
}

// True if the event has the text of the prompt, or one of its files.
template <class Prompt>
bool is_of(const Prompt& prompt, Position event) {
  const AttachedFiles& files = prompt.files;
  return prompt.prompt == event ||
         std::any_of(files.begin(), files.end(),
                     [&](const AttachedFile& one) { return one.file == event; });
}

bool is_prompt_of(const CurrentTurn& turn, Position event) {
  const InjectedPrompts& injected = turn.injected;
  return is_of(turn, event) ||
         std::any_of(injected.begin(), injected.end(),
                     [&](const InjectedPrompt& one) { return is_of(one, event); });
}

}  // namespace

Rejection no_place(const AdmissionState& admission, const Context& context,
                   std::string_view what_next) {
  const std::size_t awaiting = admission.awaiting.size();
  const std::string line = awaiting == 0 ? ""
                                         : ", and " + std::to_string(awaiting) +
                                               (awaiting == 1 ? " more waits" : " more wait") +
                                               " for a place";
  return {RejectionCode::session_limit, std::to_string(places_taken(admission)) + " of " +
                                            std::to_string(context.limits.max_sessions) +
                                            " sessions are running (max_sessions)" + line + "; " +
                                            std::string(what_next)};
}

// A session has a place from its spawn on. It gives it up when it has no agent process and no work,
// or only such that waits for an answer; it takes one again with its next lease.
Decided placing(Decided decided, const States& states, const Context& context) {
  if (!decided) return decided;
  Deciding d{states, context};
  const SessionState& s = d.session();
  const auto* admission = states.find<AdmissionStream>(kAdmissionStream);
  if (admission == nullptr || !d.is_known_to(admission->live)) return decided;
  const auto ends_lease = [](const Emitted& one) {
    return one.event.is<LeaseReleased>() || one.event.is<LeaseExpired>();
  };
  if (s.lease && std::none_of(decided->begin(), decided->end(), ends_lease)) return decided;
  LeaseState after = lease_state(s);
  for (const Emitted& emitted : *decided) {
    if (emitted.stream.empty()) evolve(after, Envelope{}, emitted.event);
  }
  if (!is_live(after.status)) return decided;
  const SessionId session = s.session;
  const auto& line = admission->awaiting;
  const bool is_parked = admission->parked.contains(session);
  const bool is_awaiting = std::find(line.begin(), line.end(), session) != line.end();
  const bool wants_place = after.pause == EndReason::session_limit;
  const bool is_deferred = after.pause == EndReason::deferred;
  d.decision = std::move(*decided);
  if (after.lease) {
    if (is_parked) d.emit_to_admission(SessionUnparked{session});
  } else if (is_parked && wants_place && !is_awaiting) {
    d.emit_to_admission(PlaceAwaited{session});
  } else if (is_parked ? is_awaiting && !wants_place : !has_work(after) || is_deferred) {
    d.emit_to_admission(SessionParked{session});
  }
  return std::move(d.decision);
}

Decided decide_one(Deciding d, const GrantLease& c) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  if (s.lease) {
    return reject(RejectionCode::lease_held, "session " + label(s) + " has a lease already");
  }
  // Its worker and its locks know a session by its id alone.
  if (!d.is_admitted()) {
    d.emit(AgentStartFailed{},
           "the session's id is also that of another agent's session, which earlier releases did "
           "not refuse; send the prompt to a new session, and make a log that verifies with steno "
           "replay salvage");
    d.close(SessionStatus::failed, EndReason::start_failed);
    return std::move(d.decision);
  }
  const FencingToken token = s.last_token.next();
  if (const EndReason limit = d.used_up(); limit != EndReason::none) {
    d.close(SessionStatus::failed, limit);
    return std::move(d.decision);
  }
  if (is_cap(s.pause)) return tl::unexpected(over_cap(d));
  const bool is_placed_now = s.pause == EndReason::session_limit;
  if (s.queue.empty() || (s.pause != EndReason::none && !is_placed_now)) {
    return reject(RejectionCode::turn_not_running,
                  "session " + label(s) + " has no prompt that can be started");
  }
  if (const EndReason cap = d.cap_reached(); cap != EndReason::none) {
    d.emit(QueuePaused{cap});
    return std::move(d.decision);
  }
  const QueuedTurn* next = d.expire_prompts();
  if (next == nullptr) {
    d.settle_emptied(SessionStatus::failed, EndReason::expired);
    return std::move(d.decision);
  }
  if (const Time until = d.usage_limit(); until.us != 0) {
    d.emit(QueuePaused{EndReason::usage_limit, until});
    return std::move(d.decision);
  }
  if (!d.has_place()) {
    if (!is_placed_now) d.emit(QueuePaused{EndReason::session_limit});
    return std::move(d.decision);
  }
  if (is_placed_now) d.emit(QueueContinued{});
  LeaseGranted granted{c.worker, token, begins_as_opened(s) ? std::string() : s.agent_session};
  granted.budget = d.left_of_budgets().value_or(NanoUsd{});
  granted.agent_total = total_at_start(d);
  granted.last_message = message_to_find(s);
  d.emit(granted);
  d.start_turn(*next, token);
  return std::move(d.decision);
}

// True if hooks are yet to let the current turn's prompt through, so that no agent has it.
bool is_held_by_hooks(const SessionState& s) {
  const auto holds = [&](const OpenAsk& ask) {
    const bool is_before =
        ask.point == HookPoint::session_start || ask.point == HookPoint::user_prompt_submit;
    return is_before && ask.turn == s.turn->turn && ask.verdict == AskVerdict::none;
  };
  return s.turn->injected->empty() && std::any_of(s.asks->begin(), s.asks->end(), holds);
}

Decided decide_one(Deciding d, const ExpireLease& c) {
  const SessionState& s = d.session();
  if (!s.lease || s.lease->token != c.token) {
    return reject(RejectionCode::stale_token, "the lease is not held any more");
  }
  const bool is_limited = is_live(s.status) && s.turn && s.turn->is_interrupt_requested &&
                          interrupt_reason(*s.turn) != EndReason::user;
  if (is_limited) {
    const EndReason limit = interrupt_reason(*s.turn);
    d.end_lease(LeaseExpired{c.token}, c.answered);
    d.interrupt_turns(limit);
    d.go_on_or_fail(limit);
    return std::move(d.decision);
  }
  // An agent that lost its transcript has done nothing with its prompt.
  const bool is_given = s.turn && s.turn->turn == c.told && !s.lease->is_lost &&
                        !s.turn->is_continued && s.turn->deferred->empty() && !is_held_by_hooks(s);
  const bool is_returned = s.turn && (is_given ? d.retry_turn() : d.return_turn());
  if (is_given && !is_returned) d.interrupt_turn(EndReason::worker_lost);
  d.interrupt_own_turn(EndReason::worker_lost);
  d.end_lease(LeaseExpired{c.token}, c.answered);
  const bool has_more =
      is_returned || !s.queue.empty() || (s.spec.is_multi_turn && !s.is_close_requested);
  if (is_live(s.status) && !has_more) {
    d.close(SessionStatus::failed, EndReason::worker_lost);
  }
  return std::move(d.decision);
}

// A lost prompt ends its turn. A lost system prompt ends the session, whose agent must not be
// started without it.
Decided decide_one(Deciding d, const GiveUpContent& c) {
  const SessionState& s = d.session();
  if (give_up_answer(d, c.event)) return std::move(d.decision);
  const bool is_opening = c.event == s.opened;
  const bool is_prompt = s.turn && is_prompt_of(*s.turn, c.event);
  const bool is_added = is_prompt && (!is_of(*s.turn, c.event) || s.turn->is_continued);
  if (!is_live(s.status) || (!is_opening && !is_prompt)) return Decision{};
  const std::string what = is_opening ? "the system prompt"
                           : is_added ? "a prompt that was added to the turn"
                                      : "the prompt";
  if (s.turn) {
    TurnFailed failed;
    failed.turn = s.turn->turn;
    failed.subtype = is_opening ? "system_prompt_lost" : "prompt_lost";
    // Its agent can work already.
    if (is_added) failed.cost = booked(d.told(failed.turn, s.turn_spent));
    d.emit(failed,
           "the text of " + what + " is not in the log any more, as after a salvage; " +
               (is_added ? "the turn was ended, resume the session and send the prompt again"
                         : "the agent was not given the turn, send it again"));
  }
  if (is_opening || !s.spec.is_multi_turn) {
    d.close(SessionStatus::failed, EndReason::turn_error);
  } else if (!s.queue.empty()) {
    d.start_next_turn(s.lease->token);
  } else if (s.is_close_requested) {
    d.close(SessionStatus::failed, EndReason::turn_error);
  }
  return std::move(d.decision);
}

}  // namespace domain
