// The operations as their surfaces call them, in texts: a line of a chat, a message of JSON-RPC.
// The table of operations outlives all tasks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workers/operations/caller.hpp"

namespace workers {

struct OperationTable;

// Returns "/claude [--name NAME] PROMPT" and so on.
std::vector<std::string> chat_usages(const OperationTable& table);

// Refuses a line that cannot be run, as do_chat_line does; needs no server.
Outcome<bool> check_chat_line(const OperationTable& table, std::string_view line);

struct ChatAnswer {
  std::string json;  // an object, on one line
  std::string text;  // for people, without a line feed at the end; can hold an agent's own text
};
// Does what the line asks for. `takes_file_mentions`: prompts can name files that the agent then
// reads (file_mention.hpp).
Task<Outcome<ChatAnswer>> do_chat_line(const OperationTable& table, Caller caller, std::string line,
                                       bool takes_file_mentions);

// Returns the program that asks, or why nothing can be asked for. The caller outlives the task.
using Connect = std::function<Outcome<const Caller*>()>;
// Answers a message of JSON-RPC 2.0 (json_rpc.hpp); empty: it wants no answer.
Task<std::string> answer_json_rpc(const OperationTable& table, Connect connect,
                                  std::string message);

}  // namespace workers
