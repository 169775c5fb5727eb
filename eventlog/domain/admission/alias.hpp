// Aliases of sessions: 8 characters, no two sessions of a log the same, ever. Sessions are counted,
// and a number's alias is the number with its bits mixed, which loses none of them; so who knows
// how many were given knows all that are taken. Numbers that follow each other begin differently.
#pragma once

#include <optional>
#include <string>

#include "eventlog/domain/types.hpp"

namespace domain {

constexpr std::size_t kAliasChars = 8;
constexpr std::int64_t kAliasesMax = std::int64_t{1} << 40;  // 5 bits a character

// `first`: the session that the log admitted first. It makes one log's aliases others than
// another's. `number`: from 0, below kAliasesMax.
std::string alias_of(SessionId first, std::int64_t number);

// It has the length and the characters of an alias.
bool has_alias_form(std::string_view text);

// The number of which it is the alias; none: it is no number's.
std::optional<std::int64_t> alias_number(SessionId first, std::string_view alias);

}  // namespace domain
