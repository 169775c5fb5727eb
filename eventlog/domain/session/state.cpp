// Answers questions about a session's state from its fields alone.
#include "eventlog/domain/session/state.hpp"

#include <algorithm>

namespace domain {

bool is_under_way(const SessionState& state) {
  return is_live(state.status) || state.lease;
}

bool is_under_way(const LeaseState& state) {
  return is_live(state.status) || state.lease;
}

LeaseState lease_state(const SessionState& state) {
  return {state.status,
          state.is_close_requested,
          state.opened,
          state.lease,
          state.last_token,
          state.turn,
          state.own_turn,
          state.is_own_turn_to_end,
          state.queue,
          state.pause,
          state.tasks,
          state.lost_at,
          state.spec.idle_timeout,
          state.spec.run_timeout,
          state.idle_since};
}

bool is_waiting_for_input(const SessionState& state) {
  return is_live(state.status) && state.spec.is_multi_turn && !state.is_close_requested &&
         !has_work(state) && state.tasks == 0;
}

namespace {

Attention attention_of_ended(const SessionState& state) {
  const bool is_asked_for = state.end_reason == EndReason::none ||
                            state.end_reason == EndReason::user ||
                            state.end_reason == EndReason::idle;
  const bool is_cut_off = state.status == SessionStatus::killed && !is_asked_for;
  if (state.is_continued || (state.status != SessionStatus::failed && !is_cut_off)) {
    return Attention::none;
  }
  return state.end_reason == EndReason::budget ? Attention::over_budget : Attention::failed;
}

}  // namespace

Attention attention_of(const SessionState& state) {
  if (state.status == SessionStatus::none) return Attention::none;
  if (!is_live(state.status)) return attention_of_ended(state);
  if (state.pause != EndReason::none) return Attention::failed;
  if (state.is_silent || state.is_repeating) return Attention::stuck;
  return is_waiting_for_input(state) ? Attention::waiting_for_input : Attention::none;
}

std::optional<Deadline> next_deadline(const LeaseState& state, Time up_since) {
  if (!is_live(state.status)) return std::nullopt;
  const auto after = [&](Time since, base::Duration limit) {
    return std::max(since, up_since) + limit;
  };
  if (state.turn && state.turn->stop != EndReason::none) {
    return Deadline{DeadlineKind::run, after(state.turn->asked_at, kInterruptGrace)};
  }
  if (state.turn && state.run_timeout.count() > 0 && state.turn->started_at.us != 0) {
    return Deadline{DeadlineKind::run, after(state.turn->started_at, state.run_timeout)};
  }
  if (state.idle_timeout.count() > 0 && state.idle_since.us != 0) {
    return Deadline{DeadlineKind::idle, after(state.idle_since, state.idle_timeout)};
  }
  return std::nullopt;
}

bool begins_as_opened(const SessionState& state) {
  const bool is_told_where = state.spec.is_fork && !state.spec.resume_message.empty();
  const bool has_said_nothing = state.last_message == state.spec.resume_message &&
                                state.usage == Usage{} && state.cost.value == 0;
  return state.agent_session.empty() || (is_told_where && has_said_nothing);
}

bool has_relatives(const SessionState& state) {
  return state.is_continued || state.lineage != state.session;
}

NanoUsd running_total(const SessionState& state) {
  NanoUsd total = state.agent_total;
  add_bounded(total.value, state.beyond_total.value);
  return total;
}

const std::string& label(const SessionState& state) {
  return state.name.empty() ? state.alias : state.name;
}

Position made_name_at(const SessionState& state) {
  const MadeName& name = state.made_name;
  return contains(state.erased, name.version) ? Position{} : name.position;
}

bool is_wholly_erased(const SessionState& state) {
  return without({{StreamVersion{1}, state.last_content}}, state.erased).empty();
}

std::optional<AcceptedCommand> known_command(const SessionState& state, const CommandId& command) {
  return state.commands.find(command);
}

}  // namespace domain
