// What the record holds of sessions, read by a command.
#pragma once

#include <functional>
#include <vector>

#include "projections/views/session_list.hpp"
#include "tools/steno/connection/connection.hpp"
#include "workers/json/event_json.hpp"

namespace steno {

// Returns the sessions that were active since then; `agent` empty: of all agents.
Outcome<std::vector<projections::SessionRow>> sessions_since(Connection& connection,
                                                             const std::string& agent,
                                                             base::Time since);

// Calls `take` with each event of the session, from its first to the last one that the row knows.
// Failure: they cannot be read, or not in time; `undone` says what was not done for it.
Outcome<bool> read_session(Connection& connection, const projections::SessionRow& row,
                           std::string_view undone,
                           const std::function<void(const workers::SeenEvent&)>& take);

}  // namespace steno
