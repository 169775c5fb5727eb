// The thorough checks of a home, too slow for every round. They cover the whole log from its first
// block, the projections against ones built from the start, and the verdict of `steno replay`.
#pragma once

#include "tests/crash/load.hpp"
#include "tests/crash/steno_server.hpp"

namespace crash {

// Checks that positions and versions are dense, the chain is whole, every acknowledged command is
// in its place, and `steno replay verify` and `rebuild` find nothing. The server may run. Error:
// the first thing that is wrong.
Result<void> check_whole_log(StenoServer& server, const std::deque<SentCommand>& sent);

// Checks that the running server's projections equal a fold from the first event.
Result<void> check_live_projections(StenoServer& server, Load& load);

}  // namespace crash
