// Names for sessions that nobody named.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "eventlog/session/types.hpp"

namespace session {

// The first three telling words of the prompt, joined by "-"; "session" when there are none.
std::string name_from_prompt(std::string_view prompt);

// `wanted`, or with the first free of -2, -3, … behind it.
std::string unique_name(const std::string& wanted, const std::map<std::string, SessionId>& taken);

}  // namespace session
