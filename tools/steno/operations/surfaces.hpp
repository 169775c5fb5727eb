// The operations as their surfaces call them, in texts: a line of a chat, a message of JSON-RPC.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/steno/connection/connection.hpp"

namespace steno {

// "/claude [--name NAME] PROMPT" and so on.
std::vector<std::string> chat_usages();

// Fails for a line that cannot be run, as do_chat_line does; needs no server.
Outcome<bool> check_chat_line(std::string_view line);

struct ChatAnswer {
  std::string json;  // an object, on one line
  std::string text;  // for people, without a line feed at the end; can hold an agent's own text
};
// Does what the line asks for. `channel`: where it was said; empty: not known.
Outcome<ChatAnswer> do_chat_line(Connection& connection, const std::string& channel,
                                 std::string_view line);

// Returns the connection that an operation uses, or why there is none.
using Connect = std::function<Outcome<Connection*>()>;
// Answers a message of JSON-RPC 2.0 (json_rpc.hpp); empty: it wants no answer.
std::string answer_json_rpc(const Connect& connect, std::string_view message);

}  // namespace steno
