// Decides by facts alone. An agent introduces itself before it does anything with a prompt.
#include "eventlog/domain/session/agent_exit.hpp"

namespace domain {
namespace {

// True if another agent can go on with the session: this one was not to end by itself, or there is
// more to come.
bool can_go_on(const ExitFacts& f) {
  const bool is_done_with = f.turn == TurnAtExit::refused || f.turn == TurnAtExit::passed;
  return f.is_stopped || f.is_lost || is_done_with || f.is_paused || (f.is_multi_turn && f.has_run);
}

// True if the agent may have worked at the turn.
bool is_given(const ExitFacts& f) {
  if (f.is_lost) return false;
  if (f.turn == TurnAtExit::given) return true;
  return f.turn == TurnAtExit::ungiven && !can_go_on(f);
}

ExitVerdict closed(ExitVerdict verdict, SessionStatus status, EndReason reason) {
  verdict.session = SessionAfterExit::closes;
  verdict.status = status;
  verdict.reason = reason;
  return verdict;
}

}  // namespace

ExitVerdict after_exit(const ExitFacts& f) {
  const bool has_turn = f.turn != TurnAtExit::none;
  const EndReason reason = f.is_stopped ? EndReason::stopped : EndReason::agent_exited;
  ExitVerdict verdict;
  verdict.own_reason = reason;
  if (has_turn && f.is_asked_to_end && f.turn_limit != EndReason::none) {
    verdict.turn = TurnAfterExit::limited;
    verdict.turn_reason = f.turn_limit;
    return verdict;
  }
  const bool is_passed = f.turn == TurnAtExit::passed;
  if (!f.is_stopped && !f.is_lost && !f.has_run && has_turn && !is_passed) {
    verdict.turn = TurnAfterExit::unbegun;
    verdict.turn_reason = EndReason::agent_exited;
    return verdict;
  }
  const bool goes_on = can_go_on(f);
  const bool was_asked = goes_on && has_turn && f.is_asked_to_end;
  const bool own_was_asked = goes_on && f.own == OwnTurnAtExit::asked_to_end;
  const bool has_own = f.own != OwnTurnAtExit::none;
  const bool is_retried = is_given(f) && f.is_stopped && f.can_be_retried;
  const bool is_returned = has_turn && !is_given(f) && !f.is_asked_to_end;
  if (is_retried) {
    verdict.turn = TurnAfterExit::retried;
  } else if (is_returned) {
    verdict.turn = TurnAfterExit::returned;
  } else if (has_turn && !is_given(f)) {
    verdict.turn = TurnAfterExit::withdrawn;
  } else if (has_turn) {
    verdict.turn = TurnAfterExit::interrupted;
    verdict.turn_reason = was_asked ? EndReason::user : reason;
  }
  if (own_was_asked) {
    verdict.own_reason = f.own_limit == EndReason::none ? EndReason::user : f.own_limit;
  }
  const bool is_turn_cut_off = is_given(f) && !is_retried && !was_asked;
  const bool is_cut_off = is_turn_cut_off || (has_own && !own_was_asked);
  const bool is_kept = is_retried || is_returned;
  if (own_was_asked && is_spent(verdict.own_reason) && !is_kept) {
    return closed(verdict, SessionStatus::failed, verdict.own_reason);
  }
  if (goes_on && (is_kept || f.has_queue)) {
    const bool is_for_person = is_cut_off && !f.is_stopped && f.is_multi_turn;
    if (is_for_person) verdict.session = SessionAfterExit::pauses;
    if (is_for_person) verdict.reason = reason;
    return verdict;
  }
  if (goes_on && f.is_multi_turn && !f.is_close_requested) return verdict;
  const bool is_done =
      (f.is_stopped || f.is_clean) && !is_cut_off && !f.has_queue && !f.waits_for_tasks;
  if (is_done && f.is_close_requested) {
    verdict.session = SessionAfterExit::closes_as_asked;
    return verdict;
  }
  if ((was_asked || own_was_asked) && !is_cut_off) {
    const bool is_limited = !was_asked && f.own_limit != EndReason::none;
    return is_limited ? closed(verdict, SessionStatus::failed, f.own_limit)
                      : closed(verdict, SessionStatus::killed, EndReason::user);
  }
  return closed(verdict, f.is_stopped ? SessionStatus::killed : SessionStatus::failed, reason);
}

}  // namespace domain
