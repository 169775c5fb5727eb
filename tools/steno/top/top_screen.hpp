// The state of `top` as lines of a terminal.
#pragma once

#include "tools/steno/top/top_state.hpp"

namespace steno {

// Fits any size, down to one row of one column.
Screen top_screen(const TopState& state);

}  // namespace steno
