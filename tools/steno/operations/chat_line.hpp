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
// first, and "--" ends them; a value with blanks is in double quotes. Failure with kExitUsage: the
// text says how the command is used, or which ones there are.
Outcome<ChatCall> parse_chat(std::string_view line);

}  // namespace steno
