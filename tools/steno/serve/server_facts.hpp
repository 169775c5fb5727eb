// What this server was started with, for those who ask it why its agents do not run.
#pragma once

#include <functional>

#include "tools/steno/config/config.hpp"
#include "workers/protocol/status.hpp"

namespace steno {

// Looks at this process and its surroundings. No value of a key or token is in the facts.
workers::ServerFacts server_facts(const Config& config);

// Returns a function that says them at any time: it looks again at programs and logins, which can
// come and go, once a second at most. `config` must outlive it.
std::function<workers::ServerFacts()> kept_facts(const Config& config);

}  // namespace steno
