// How long an agent at work has given no sign of it, or waits for hooks.
#pragma once

#include <string>

#include "projections/views/session_list.hpp"

namespace steno {

// True if the agent works on a turn.
bool is_at_work(const projections::SessionRow& row);

// A step that waits for hooks for so long is worth a word.
constexpr base::Duration kHookWait = std::chrono::seconds(2);

// Returns for how long an agent has waited for hooks, and at which point: "waits 12s for hooks at
// PreToolUse". Of several steps the one that waits longest. Empty: not for long, or for none.
std::string hook_wait_text(const projections::SessionRow& row, base::Time now);

// An agent at work that says nothing for so long is worth a word.
constexpr base::Duration kSilence = std::chrono::minutes(1);

// Returns for how long, and why, as far as that is known: "silent 3m20s, retrying (rate_limit, HTTP
// 429, attempt 3 of 10)". Empty: not for long, or it does not work.
std::string silence_text(const projections::SessionRow& row, base::Time now);

}  // namespace steno
