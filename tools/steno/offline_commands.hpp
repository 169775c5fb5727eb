// Commands that need no server.
#pragma once

#include "tools/steno/config.hpp"
#include "tools/steno/failure.hpp"

namespace steno {

// Prints every setting with its source.
Outcome<int> show_config(const Config& config);
Outcome<int> show_version(const Config& config);

}  // namespace steno
