// Commands that need no server.
#pragma once

#include "tools/steno/client/client_commands.hpp"

namespace steno {

// Prints every setting with its source.
Outcome<int> show_config(const Config& config, const NoArguments&);
Outcome<int> show_version(const Config& config, const NoArguments&);

}  // namespace steno
