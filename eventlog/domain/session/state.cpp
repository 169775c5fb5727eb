// Answers questions about a session's state from its fields alone.
#include "eventlog/domain/session/state.hpp"

namespace domain {

bool is_under_way(const SessionState& state) {
  return is_live(state.status) || state.lease;
}

bool is_under_way(const LeaseState& state) {
  return is_live(state.status) || state.lease;
}

LeaseState lease_state(const SessionState& state) {
  return {state.status,     state.is_close_requested,
          state.opened,     state.lease,
          state.last_token, state.turn,
          state.own_turn,   state.is_own_turn_to_end,
          state.queue,      state.pause,
          state.tasks,      state.lost_at};
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
