// Asks for each page of the live sessions, and kills one at a time.
#include "tools/steno/operations/ending.hpp"

#include <algorithm>
#include <iterator>

#include "tools/steno/text/units.hpp"

namespace steno {

Outcome<Killed> kill_session(Connection& connection, const projections::SessionRow& row,
                             bool is_quiet) {
  Killed killed;
  killed.reply.status = row.status;
  killed.reply.position = row.last_position;
  if (domain::is_live(row.status)) {
    const auto reply = connection.command(connection.fresh_command_id(), row.session, row.agent,
                                          domain::KillSession{is_quiet});
    if (!reply) return tl::unexpected(reply.error());
    killed.reply = *reply;
  }
  // The reply tells if the session ended by itself in between.
  const bool is_already =
      domain::is_terminal(row.status) || killed.reply.status != domain::SessionStatus::killed;
  killed.line = (is_already ? "already " : "") + std::string(base::enum_name(killed.reply.status));
  return killed;
}

Outcome<workers::CommandReplyBody> interrupt_session(Connection& connection,
                                                     const projections::SessionRow& row) {
  if (domain::is_terminal(row.status)) {
    return fail(kExitConflict,
                "session " + row.alias + " is already " + std::string(base::enum_name(row.status)));
  }
  const bool has_turn = row.turn.is_set() || row.own_turn.is_set() || row.turns_waiting > 0;
  if (!has_turn && row.tasks > 0) {
    return fail(kExitConflict, "session " + row.alias + " runs no turn now, and " +
                                   tasks_text(row.tasks) +
                                   " in the background; steno close --now " + row.alias +
                                   " ends what runs there with the session, and steno "
                                   "resume " +
                                   row.alias + " then goes on");
  }
  return connection.command(connection.fresh_command_id(), row.session, row.agent,
                            domain::InterruptTurn{});
}

Outcome<std::vector<projections::SessionRow>> list_live(Connection& connection) {
  return list_live_of(connection, connection.config().agent);
}

Outcome<std::vector<projections::SessionRow>> list_live_of(Connection& connection,
                                                           const std::string& agent) {
  workers::QueryBody query;
  query.agent = agent;
  query.statuses = {domain::SessionStatus::starting, domain::SessionStatus::running};
  std::vector<projections::SessionRow> live;
  for (bool has_more = true; has_more;) {
    auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
    if (!page) return tl::unexpected(page.error());
    std::move(page->sessions.begin(), page->sessions.end(), std::back_inserter(live));
    query.before = page->before;
    has_more = page->has_more;
  }
  return live;
}

}  // namespace steno
