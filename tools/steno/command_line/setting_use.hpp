// Where the settings count. Each can be a flag of each command line, so that one with a flag that
// its command never reads would be obeyed in part, in silence.
#pragma once

#include <string>

#include "tools/steno/config/config.hpp"

namespace steno {

// Returns why the command has no use for a flag of this setting, and what has; empty: it reads it.
// `command` is as it is typed, such as "schedule add".
std::string misplaced_flag(const std::string& command, const std::string& key);

}  // namespace steno
