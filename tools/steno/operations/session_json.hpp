// A session as operations answer it: for programs by the names of claude-code.sessions, and as a
// few lines for people.
#pragma once

#include <string>

#include "projections/views/session_list.hpp"
#include "tools/steno/operations/operation.hpp"

namespace steno {

// Returns an amount as a number of dollars.
Json dollars_json(base::NanoUsd amount);
// Returns milliseconds since 1970; null where it is not set.
Json milliseconds_json(base::Time time);

// Returns id, alias, name and status.
Json session_brief_json(const projections::SessionRow& row);
// Returns all; `prompt` can be cut.
Json session_json(const projections::SessionRow& row, const std::string& prompt, base::Time now);

// Returns "name [alias] (2m10s)".
std::string session_title(const projections::SessionRow& row, base::Time now);
std::string session_lines(const projections::SessionRow& row, const std::string& prompt,
                          base::Time now);

// Columns of a prompt's beginning beside what else is said of its session.
constexpr std::size_t kPromptColumnsMax = 80;

// Returns the beginning of a prompt on one line.
std::string prompt_beginning(const std::string& prompt, std::size_t columns_max);

}  // namespace steno
