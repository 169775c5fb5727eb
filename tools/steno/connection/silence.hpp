// How long an agent at work has given no sign of it.
#pragma once

#include <string>

#include "projections/views/session_list.hpp"

namespace steno {

// True if the agent works on a turn.
bool is_at_work(const projections::SessionRow& row);

// An agent at work that says nothing for so long is worth a word.
constexpr base::Duration kSilence = std::chrono::minutes(1);

// Returns for how long, and why, as far as that is known: "silent 3m20s, retrying (rate_limit, HTTP
// 429, attempt 3 of 10)". Empty: not for long, or it does not work.
std::string silence_text(const projections::SessionRow& row, base::Time now);

}  // namespace steno
