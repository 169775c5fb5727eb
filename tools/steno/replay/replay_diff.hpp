// The three comparisons of `replay diff`, each in a file of its own; replay_diff() chooses one.
#pragma once

#include "tools/steno/replay/replay.hpp"

namespace steno {

// Compares the sessions' states at `from` and at `at`.
int diff_positions(const ReplayArguments& arguments);
// Compares two logs, block by block.
int diff_logs(const ReplayArguments& arguments);
// Compares the live rows of `projection` with those folded from the log.
int diff_projection(const ReplayArguments& arguments);

}  // namespace steno
