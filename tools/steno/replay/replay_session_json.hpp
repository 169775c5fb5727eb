// Returns a session's state as the JSON that `replay state` and `replay diff` show.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/steno/replay/replay_fold.hpp"

namespace steno {

nlohmann::ordered_json json_of(const FoldedSession& folded);

}  // namespace steno
