// Holds what this process opens with its own flags to what the session can give in which it runs.
#pragma once

#include <string>
#include <vector>

#include "tools/steno/connection/connection.hpp"

namespace steno {

// Lowers the spec to the grant, or fails for what a flag said beyond it. `resumed`: the session
// that it goes on with; null: none. Returns notes on what was lowered; none if this process runs in
// no session.
Outcome<std::vector<std::string>> hold_process(Connection& connection,
                                               const projections::SessionRow* resumed,
                                               domain::SessionSpec& spec);

// The same for settings that this process changes and that are kept: whatever is beyond the grant
// is refused, also what somebody else had said.
Outcome<bool> hold_edited(Connection& connection, domain::SessionSpec& spec);

}  // namespace steno
