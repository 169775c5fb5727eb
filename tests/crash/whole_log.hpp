// The thorough checks of a home, too slow for every round: the whole log from its first block, the
// projections against ones built from the start, and what `steno replay` says of both.
#pragma once

#include "tests/crash/load.hpp"
#include "tests/crash/steno_server.hpp"

namespace crash {

// Positions and versions dense, chain whole, every acknowledged command in its place; `steno replay
// verify` and `rebuild` find nothing. The server may run. Error: the first thing that is wrong.
Result<bool> check_whole_log(StenoServer& server, const std::deque<SentCommand>& sent);

// What the running server holds in its projections is what a fold from the first event gives.
Result<bool> check_live_projections(StenoServer& server, Load& load);

}  // namespace crash
