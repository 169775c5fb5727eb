// Aliases of sessions: 8 characters, never the same for two sessions of a log. Sessions are
// counted, and an alias is the session's number with its bits mixed, which is reversible. So the
// count alone tells which aliases are taken. Consecutive numbers begin differently.
#pragma once

#include <optional>
#include <string>

#include "eventlog/domain/types.hpp"

namespace domain {

constexpr std::size_t kAliasChars = 8;
constexpr std::int64_t kAliasesMax = std::int64_t{1} << 40;  // 5 bits for each character

// `first` is the session that the log admitted first; it makes the aliases differ between logs.
// `number` counts from 0 and is below kAliasesMax.
std::string alias_of(SessionId first, std::int64_t number);

// True if the text has the length and the characters of an alias.
bool has_alias_form(std::string_view text);

// Returns the number of an alias; none if it is no number's alias.
std::optional<std::int64_t> alias_number(SessionId first, std::string_view alias);

}  // namespace domain
