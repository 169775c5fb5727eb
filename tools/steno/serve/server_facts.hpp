// What this server was started with, for those who ask it why its agents do not run.
#pragma once

#include "tools/steno/config/config.hpp"
#include "workers/protocol/status.hpp"

namespace steno {

// Looks at this process and its surroundings. No value of a key or token is in the facts.
workers::ServerFacts server_facts(const Config& config);

}  // namespace steno
