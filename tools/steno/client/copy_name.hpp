// The names of copies of the log: backups and archives. The server has the same rule, and knows
// nothing of a folder that gave its name.
#pragma once

#include <string>

#include "tools/steno/text/error_line.hpp"

namespace steno {

// Returns the name that was given, or that of the folder, which is absolute. `what` is "a backup"
// or "an archive". Failure usage: no copy can have the folder's name.
Outcome<std::string> name_of_copy(const std::string& what, const std::string& given,
                                  const std::string& folder);

}  // namespace steno
