// The words that a session began with.
#pragma once

#include <string>

#include "tools/steno/connection/connection.hpp"

namespace steno {

// Returns the first 4 KiB of the session's first prompt; empty: they are erased or archived, or the
// session is not there any more. Failure: the server cannot be asked.
Outcome<std::string> first_prompt(Connection& connection, const std::string& agent,
                                  base::SessionId session);

}  // namespace steno
