// Operations as commands in a chat: "/claude --name docs write the manual".
#pragma once

#include <string_view>

#include "tools/steno/operations/operation.hpp"

namespace steno {

struct ChatCall {
  const Operation* operation = nullptr;
  Json arguments;
};

// Reads a line of a chat. The command can be followed by "@" and the name of a bot. Options come
// first, and "--" ends them; a value or word with blanks is in double quotes. The dashes, quotes
// and blanks that keyboards of phones make of these count as them. Failure with kExitUsage: the
// text says how the command is used, or which ones there are.
Outcome<ChatCall> parse_chat(std::string_view line);

}  // namespace steno
