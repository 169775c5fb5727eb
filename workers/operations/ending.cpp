// Asks only for an end that is still to come.
#include "workers/operations/ending.hpp"

#include "workers/text/amounts.hpp"

namespace workers {

Task<Outcome<Killed>> kill_session(const Caller& caller, const projections::SessionRow& row,
                                   bool is_quiet) {
  Killed killed;
  killed.reply.status = row.status;
  killed.reply.position = row.last_position;
  if (domain::is_live(row.status)) {
    const domain::Command kill = domain::KillSession{is_quiet};
    auto reply = co_await send_command(caller, command_id(caller), row.session, row.agent, kill);
    if (!reply) co_return tl::unexpected(reply.error());
    killed.reply = std::move(*reply);
  }
  // The reply tells if the session ended by itself in between.
  const bool is_already =
      domain::is_terminal(row.status) || killed.reply.status != domain::SessionStatus::killed;
  killed.line = (is_already ? "already " : "") + std::string(base::enum_name(killed.reply.status));
  co_return killed;
}

Task<Outcome<CommandReplyBody>> interrupt_session(const Caller& caller,
                                                  const projections::SessionRow& row) {
  if (domain::is_terminal(row.status)) {
    co_return refuse(OperationError::conflict, "session " + row.alias + " is already " +
                                                   std::string(base::enum_name(row.status)));
  }
  const bool has_turn = row.turn.is_set() || row.own_turn.is_set() || row.turns_waiting > 0;
  if (!has_turn && row.tasks > 0) {
    co_return refuse(OperationError::conflict,
                     "session " + row.alias + " runs no turn now, and " + tasks_text(row.tasks) +
                         " in the background; steno close --now " + row.alias +
                         " ends what runs there with the session, and steno resume " + row.alias +
                         " then goes on");
  }
  const domain::Command interrupt = domain::InterruptTurn{};
  auto reply = co_await send_command(caller, command_id(caller), row.session, row.agent, interrupt);
  co_return reply;
}

}  // namespace workers
