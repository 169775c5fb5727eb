// Runs what chat_line and json_rpc read.
#include "tools/steno/operations/surfaces.hpp"

#include "tools/steno/operations/chat_line.hpp"
#include "tools/steno/operations/file_mention.hpp"
#include "tools/steno/operations/grant.hpp"
#include "tools/steno/operations/json_rpc.hpp"
#include "tools/steno/operations/operations.hpp"

namespace steno {

std::vector<std::string> chat_usages() {
  std::vector<std::string> usages;
  for (const Operation& operation : operations()) {
    if (!operation.chat.empty()) usages.push_back(operation.chat_usage());
  }
  return usages;
}

Outcome<bool> check_chat_line(std::string_view line) {
  const auto call = parse_chat(line);
  if (!call) return tl::unexpected(call.error());
  return true;
}

Outcome<ChatAnswer> do_chat_line(Connection& connection, const std::string& channel,
                                 std::string_view line) {
  const auto call = parse_chat(line);
  if (!call) return tl::unexpected(call.error());
  if (!connection.config().takes_file_mentions) {
    if (const auto ok = check_mentions(call->arguments); !ok) return tl::unexpected(ok.error());
  }
  const Caller caller{connection, channel, runs_in_session(), true};
  auto answer = call->operation->run(caller, call->arguments);
  if (!answer && answer.error().exit_code == kExitUsage) {
    return fail(kExitUsage, answer.error().text + "; usage: " + call->operation->chat_usage());
  }
  if (!answer) return tl::unexpected(answer.error());
  return ChatAnswer{json_text(answer->value), std::move(answer->text)};
}

std::string answer_json_rpc(const Connect& connect, std::string_view message) {
  const JsonRpc rpc([&](const Operation& operation, const Json& arguments) -> Outcome<Answer> {
    const auto connection = connect();
    if (!connection) return tl::unexpected(connection.error());
    return operation.run({**connection, {}, true, false}, arguments);
  });
  return rpc.answer(message);
}

}  // namespace steno
