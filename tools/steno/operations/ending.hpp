// Ends sessions and turns, and finds sessions that can be ended.
#pragma once

#include <string>
#include <vector>

#include "tools/steno/connection/connection.hpp"

namespace steno {

struct Killed {
  workers::CommandReplyBody reply;
  std::string line;  // what to say of it
};

// Kills a session; one that has ended stays as it is. `is_quiet`: nobody is notified.
Outcome<Killed> kill_session(Connection& connection, const projections::SessionRow& row,
                             bool is_quiet = false);

// Interrupts the turn that the session runs now. A Failure with kExitConflict: it runs none.
Outcome<workers::CommandReplyBody> interrupt_session(Connection& connection,
                                                     const projections::SessionRow& row);

// Returns the agent's live sessions.
Outcome<std::vector<projections::SessionRow>> list_live(Connection& connection);
// The same of an agent; empty: of all.
Outcome<std::vector<projections::SessionRow>> list_live_of(Connection& connection,
                                                           const std::string& agent);

}  // namespace steno
