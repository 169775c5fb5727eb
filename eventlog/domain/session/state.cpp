// Answers questions about a session's state from its fields alone.
#include "eventlog/domain/session/state.hpp"

#include <algorithm>

namespace domain {

std::int64_t bytes_of(const AttachedFiles& files) {
  std::int64_t bytes = 0;
  for (const AttachedFile& file : files) bytes += file.bytes;
  return bytes;
}

bool is_under_way(const SessionWork& state) {
  return is_live(state.status) || state.lease;
}

TimeLimits time_limits(const SessionSpec& spec) {
  return {spec.idle_timeout, spec.run_timeout, spec.remind_after, spec.approval_timeout};
}

LeaseState lease_state(const SessionState& state) {
  const SessionWork& work = state;
  return {work, time_limits(state.spec)};
}

TurnId only_turn(const SessionState& state) {
  if (state.turn) return state.turn->turn;
  return state.queue.empty() ? TurnId{} : state.queue.front().turn;
}

bool is_start_pause(EndReason pause, Time paused_until) {
  return paused_until.us != 0 && pause != EndReason::usage_limit;
}

bool is_waiting_for_input(const SessionState& state) {
  return is_live(state.status) && state.spec.is_multi_turn && !state.is_close_requested &&
         !has_work(state) && state.tasks == 0;
}

bool is_too_late(const QueuedTurn& turn, Time wall) {
  return turn.start_before.us != 0 && turn.start_before <= wall;
}

EndReason used_up(const SessionState& state) {
  const SessionSpec& spec = state.spec;
  if (spec.budget.value > 0 && state.cost >= spec.budget) return EndReason::budget;
  return used_up(*spec.use_limits, {tokens_of(state.usage), state.tool_calls, state.output_bytes});
}

namespace {

bool has_used_up(const SessionState& state) {
  return used_up(state) != EndReason::none;
}

// True if the session has ended otherwise than it should.
bool is_failure(const SessionState& state) {
  if (state.status == SessionStatus::failed) return true;
  const bool is_asked_for =
      state.end_reason == EndReason::none || state.end_reason == EndReason::user;
  if (state.status != SessionStatus::killed || is_asked_for) return false;
  return true;
}

// A session whose text is all erased needs nobody.
Attention attention_of_ended(const SessionState& state) {
  const bool is_erased = state.last_content.value > 0 && is_wholly_erased(state);
  if (is_erased) return Attention::none;
  const bool is_denied = state.status == SessionStatus::completed && state.denied->calls > 0;
  if (!is_failure(state)) return is_denied ? Attention::denied : Attention::none;
  const bool is_idle = state.end_reason == EndReason::idle;
  const bool is_of_budget =
      is_spent(state.end_reason) || is_cap(state.end_reason) || (is_idle && has_used_up(state));
  if (is_of_budget) return Attention::over_budget;
  return is_idle ? Attention::ended_idle : Attention::failed;
}

}  // namespace

bool is_unanswered(const OpenAsks& asks) {
  return std::any_of(asks.begin(), asks.end(), [](const OpenAsk& ask) {
    return ask.verdict == AskVerdict::none && is_for_people(ask.kind);
  });
}

bool is_waiting(const OpenAsks& asks) {
  return std::any_of(asks.begin(), asks.end(),
                     [](const OpenAsk& ask) { return ask.verdict == AskVerdict::none; });
}

Attention attention_of(const SessionState& state) {
  if (state.status == SessionStatus::none) return Attention::none;
  if (!is_live(state.status)) return attention_of_ended(state);
  if (is_unanswered(state.asks)) return Attention::asks;
  if (is_cap(state.pause) || state.pause == EndReason::usage_limit) return Attention::over_budget;
  // It goes on by itself.
  const bool goes_on =
      state.pause == EndReason::session_limit || state.pause == EndReason::deferred;
  if (goes_on) return Attention::none;
  const bool is_tried_again = is_start_pause(state.pause, state.paused_until);
  if (state.pause != EndReason::none && !is_tried_again) return Attention::failed;
  if (state.is_silent || state.is_repeating) return Attention::stuck;
  if (!is_waiting_for_input(state)) return Attention::none;
  // It waits for its schedule.
  const bool is_heartbeat = state.descriptor->kind == DescriptorKind::heartbeat;
  if (is_heartbeat && !has_used_up(state)) return Attention::none;
  const bool is_over = has_used_up(state) || state.day_over.us != 0;
  return is_over ? Attention::over_budget : Attention::waiting_for_input;
}

bool is_stopped(const CurrentTurn& turn) {
  return turn.is_over_budget || turn.stop != EndReason::none || turn.asked_at.us != 0;
}

namespace {

// Calls `add` with the kind of each deadline, since when its time runs, and for how long.
template <class Add>
void for_each_deadline(const LeaseState& state, const Add& add) {
  if (!is_live(state.status)) return;
  if (state.turn && is_stopped(*state.turn)) {
    add(DeadlineKind::run, state.turn->asked_at, kInterruptGrace);
  } else if (state.turn && state.limits.run_timeout.count() > 0 && state.turn->started_at.us != 0 &&
             state.asking_since.us == 0) {
    add(DeadlineKind::run, state.turn->started_at, state.limits.run_timeout);
  }
  if (state.own_turn.is_set() && state.own_asked_at.us != 0) {
    add(DeadlineKind::own, state.own_asked_at, kInterruptGrace);
  }
  if (state.limits.idle_timeout.count() > 0 && state.idle_since.us != 0) {
    add(DeadlineKind::idle, state.idle_since, state.limits.idle_timeout);
  }
  if (state.limits.remind_after.count() > 0 && state.remind_since.us != 0) {
    add(DeadlineKind::long_run, state.remind_since, state.limits.remind_after);
  }
  if (state.limits.approval_timeout.count() > 0) {
    for (const OpenAsk& ask : *state.asks) {
      if (ask.verdict != AskVerdict::none || !is_for_people(ask.kind)) continue;
      add(DeadlineKind::ask, ask.since, state.limits.approval_timeout);
    }
  }
  if (state.day_over.us != 0) add(DeadlineKind::day, state.day_over, base::Duration{});
  if (state.paused_until.us != 0) {
    add(DeadlineKind::pause, state.paused_until, base::Duration{});
  }
  for (const QueuedTurn& queued : state.queue) {
    if (queued.start_before.us != 0) {
      add(DeadlineKind::start, queued.start_before, base::Duration{});
    }
  }
}

}  // namespace

std::optional<Deadline> next_deadline(const LeaseState& state, Time up_since,
                                      base::Duration ahead) {
  std::optional<Deadline> next;
  for_each_deadline(state, [&](DeadlineKind kind, Time since, base::Duration limit) {
    const Time begun = is_by_wall(kind) ? since + ahead : since;
    const Deadline other{kind, std::max(begun, up_since) + limit};
    if (!next || other.due < next->due) next = other;
  });
  return next;
}

std::optional<Deadline> deadline_of(const LeaseState& state, DeadlineKind wanted) {
  std::optional<Deadline> found;
  for_each_deadline(state, [&](DeadlineKind kind, Time since, base::Duration limit) {
    const Deadline other{kind, since + limit};
    if (kind == wanted && (!found || other.due < found->due)) found = other;
  });
  return found;
}

bool begins_as_opened(const SessionState& state) {
  const bool is_told_where = state.spec.is_fork && !state.spec.resume_message->empty();
  const bool has_said_nothing = state.spec.resume_message == state.last_message &&
                                state.usage == Usage{} && state.cost.value == 0;
  return state.agent_session.empty() || (is_told_where && has_said_nothing);
}

bool is_foreign(const SessionState& state) {
  const bool has_earlier = !state.spec.resume_agent_session->empty() || state.imported->lines > 0;
  return state.lineage == state.session && has_earlier;
}

EndReason interrupt_reason(const CurrentTurn& turn) {
  if (turn.is_over_budget) return EndReason::budget;
  return turn.stop == EndReason::none ? EndReason::user : turn.stop;
}

bool has_relatives(const SessionState& state) {
  return state.is_continued || state.has_launched || state.lineage != state.session;
}

CostBasis cost_basis(const SessionState& state) {
  const bool is_unpriced = has_unpriced(state.turn_spent) || has_unpriced(state.own_spent);
  return is_unpriced ? CostBasis::unknown : state.basis;
}

NanoUsd running_total(const SessionState& state) {
  NanoUsd total = state.agent_total;
  add_bounded(total.value, state.beyond_total.value);
  return total;
}

const std::string& told_place(const SessionState& state) {
  return state.place->empty() ? *state.spec.channel : *state.place;
}

const std::string& label(const SessionState& state) {
  return state.name.empty() ? state.alias : state.name;
}

Position made_name_at(const SessionState& state) {
  const MadeName& name = state.made_name;
  if (!state.name.empty()) return {};
  return contains(state.erased, name.version) ? Position{} : name.position;
}

bool is_wholly_erased(const SessionState& state) {
  return without({{StreamVersion{1}, state.last_content}}, state.erased).empty();
}

std::optional<AcceptedCommand> known_command(const SessionState& state, const CommandId& command) {
  return state.commands.find(command);
}

}  // namespace domain
