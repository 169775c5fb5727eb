// Reads the sessions that a list shows.
#pragma once

#include <functional>
#include <vector>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_filter.hpp"
#include "tools/steno/connection/connection.hpp"

namespace steno {

// Hands the sessions to `show` in their order, page by page, as many as the arguments ask for.
// Returns what the last answer says beside them; `position`: they are of that position or later.
Outcome<workers::ListAnswer> read_list(
    Connection& connection, const ListArguments& arguments, const SessionFilter& filter,
    const std::function<void(std::vector<projections::SessionRow>)>& show);

}  // namespace steno
