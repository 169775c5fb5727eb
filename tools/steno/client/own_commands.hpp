// Commands that need neither a server nor a log.
#pragma once

#include "tools/steno/config/config.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

struct NoArguments {};
// Prints every setting with its source.
Outcome<int> show_config(const Config& config, const NoArguments&);
Outcome<int> show_version(const Config& config, const NoArguments&);

}  // namespace steno
