// `ls --watch`: the list on a screen of its own, drawn anew as sessions change.
#pragma once

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_filter.hpp"
#include "tools/steno/connection/connection.hpp"

namespace steno {

// True if stdout is a terminal that can be drawn on.
bool can_draw();

// Draws at most once in a second, until Ctrl-C; can_draw() is true. While no server answers, it
// shows what it knew last. Returns kExitInterrupted.
Outcome<int> watch_list(Connection& connection, const ListArguments& arguments,
                        const SessionFilter& filter);

}  // namespace steno
