// `ls --watch`: the list on a screen of its own, drawn anew as sessions change.
#pragma once

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_filter.hpp"
#include "tools/steno/connection/connection.hpp"

namespace steno {

// Draws at most once in a second, and for a new size, until Ctrl-C; can_draw() is true. While no
// server answers, it shows what it knew last. Returns kExitInterrupted.
Outcome<int> watch_list(Connection& connection, const ListArguments& arguments,
                        const SessionFilter& filter);

}  // namespace steno
