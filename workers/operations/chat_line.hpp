// Operations as commands in a chat: "/claude --name docs write the manual".
#pragma once

#include <string>
#include <string_view>

#include "workers/operations/operation.hpp"

namespace workers {

struct ChatCall {
  const Operation* operation = nullptr;  // of the table
  Json arguments;
};

// Reads a line of a chat. The command can be followed by "@" and the name of a bot. Options come
// first, and "--" ends them; a value or word with blanks is in double quotes. The dashes, quotes
// and blanks that keyboards of phones make of these count as them. A refusal with `usage` says how
// the command is used, or which ones there are. `table` outlives the call.
Outcome<ChatCall> parse_chat(const OperationTable& table, std::string_view line);

// Returns "/claude [--name NAME] PROMPT".
std::string chat_usage(const Operation& operation);

}  // namespace workers
