// Decides what follows when a session has waited, or a turn has run, for as long as that is
// allowed. Also when the time is over for which prompts wait, and when it is too late for a prompt.
#include "eventlog/domain/session/deciding.hpp"

namespace domain {
namespace {

// Ends the prompts for which it is too late, and goes on with the next one if nothing is in its
// way.
void expire(Deciding& d) {
  const SessionState& s = d.session();
  const QueuedTurn* next = d.expire_prompts();
  if (s.turn) return;
  if (next == nullptr) return d.settle_emptied(SessionStatus::failed, EndReason::expired);
  if (s.lease && s.pause == EndReason::none) d.start_turn(*next, s.lease->token);
}

}  // namespace

Decided decide_one(Deciding d, const PassDeadline& c) {
  const SessionState& s = d.session();
  // The asker counts from a start of the server, so its earliest deadline can be another one than
  // the record's.
  const auto deadline = deadline_of(lease_state(s), c.kind);
  // A server with a larger budget, or none, need not wait for the next day.
  const bool may_be_early = c.kind == DeadlineKind::day && d.cap_reached() == EndReason::none;
  const Time now = is_by_wall(c.kind) ? d.context.wall : d.context.now;
  if (!deadline || (now < deadline->due && !may_be_early)) return Decision{};
  switch (c.kind) {
    case DeadlineKind::idle:
      d.close(SessionStatus::killed, EndReason::idle);
      break;
    case DeadlineKind::run:
      d.stop_turn(s.turn->turn, EndReason::run_timeout);
      break;
    case DeadlineKind::own:
      d.stop_turn(s.own_turn, s.own_stop);
      break;
    case DeadlineKind::long_run:
      d.emit(LongRunReached{});
      break;
    case DeadlineKind::day:
    case DeadlineKind::pause:
      d.emit(QueueContinued{});
      if (s.lease && !s.queue.empty()) d.start_next_turn(s.lease->token);
      break;
    case DeadlineKind::ask:
      answer_unanswered(d);
      break;
    case DeadlineKind::start:
      expire(d);
      break;
  }
  return std::move(d.decision);
}

}  // namespace domain
