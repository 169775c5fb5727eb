// A session's status, age and cost in a few words, as lists and headings show them.
#pragma once

#include <string>

#include "projections/views/session_list.hpp"

namespace workers {

// Returns the status with what else people must know of it: "running, waiting, 2 tasks".
std::string status_text(const projections::SessionRow& row);

// Returns when a session that waits for a prompt is ended for that; empty: it is not.
std::string idle_end_text(const projections::SessionRow& row, base::Time now);

// Returns behind what a session's prompts wait, and what helps: "behind a failed turn: steno
// continue 4fzk2q9x". `pause` is not none; `until` is wall time, 0: they do not go on by
// themselves.
std::string pause_text(domain::EndReason pause, const std::string& alias, base::Time until = {});

// Returns how long an ended session lived, or how long a live one has lived so far.
base::Duration age_of(const projections::SessionRow& row, base::Time now);
// Returns it in words, such as "3m20s".
std::string ran_text(const projections::SessionRow& row, base::Time now);

// Returns what the session has cost, with its doubt: "$0.0123", "≥ $0.0123" or "unknown".
std::string cost_text(const projections::SessionRow& row);
// Returns its labels by ", ", safe for a terminal.
std::string labels_text(const projections::SessionRow& row);
// Returns "name [alias]".
std::string named_text(const projections::SessionRow& row);
// Returns "name [alias] (2m10s)".
std::string session_title(const projections::SessionRow& row, base::Time now);
// Returns a few lines about a session. `prompt` can be empty, and is cut.
std::string session_lines(const projections::SessionRow& row, const std::string& prompt,
                          base::Time now);
// Returns "$0.0123".
std::string dollars_text(base::NanoUsd amount);

}  // namespace workers
