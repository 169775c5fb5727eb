// Sessions as a table.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/time.hpp"
#include "projections/views/session_list.hpp"
#include "tools/steno/client/client_commands.hpp"

namespace steno {

// Returns titles and a line for each session, as wide as stdout is, if that is a terminal. `now`:
// wall time.
std::string list_text(const std::vector<projections::SessionRow>& rows, base::Time now,
                      const ListArguments& arguments);

}  // namespace steno
