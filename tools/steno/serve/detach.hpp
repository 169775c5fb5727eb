// `steno serve --detach`: starts the server as a process of its own, which no terminal ends.
#pragma once

#include <string>
#include <vector>

#include "tools/steno/config/config.hpp"

namespace steno {

// Starts the server in a session of its own, logging to a file of the run folder, and waits until
// it takes commands or has ended. Prints which file that is, and if it has ended, what it logged.
// Returns an exit code: that of the server if it has ended.
int detach(const Config& config);

}  // namespace steno
