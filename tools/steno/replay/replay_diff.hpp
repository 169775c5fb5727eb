// What `replay diff` compares, each in a file of its own; replay_diff() chooses.
#pragma once

#include "tools/steno/replay/replay.hpp"

namespace steno {

// Sessions' states at `from` and at `at`.
int diff_positions(const ReplayArguments& arguments);
// Two logs, block by block.
int diff_logs(const ReplayArguments& arguments);
// The rows of `projection`, row by row, with those that are folded from the log.
int diff_projection(const ReplayArguments& arguments);

}  // namespace steno
