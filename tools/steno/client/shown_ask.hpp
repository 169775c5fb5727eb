// Shows people at a terminal what an agent asks of them.
#pragma once

#include <string>

#include "workers/protocol/queries.hpp"

namespace steno {

// Returns the commands that answer it: "steno approve 4fzk2q9x#3   steno deny 4fzk2q9x#3 WHY".
std::string how_to_answer(const workers::AskShown& ask);

// Returns all that is known of it, in lines. `now`: wall time.
std::string whole_text(const workers::AskShown& ask, base::Time now);

}  // namespace steno
