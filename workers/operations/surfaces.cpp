// Runs what chat_line and json_rpc read.
#include "workers/operations/surfaces.hpp"

#include <utility>

#include "workers/operations/chat_line.hpp"
#include "workers/operations/file_mention.hpp"
#include "workers/operations/json_rpc.hpp"

namespace workers {
namespace {

Task<Outcome<Answer>> refused(Refusal refusal) {
  co_return tl::unexpected(std::move(refusal));
}

// `connect` outlives what is run.
JsonRpc::Run run_over(const Connect& connect) {
  return [&connect](const Operation& operation, const Json& arguments, Reader reader) {
    const auto known = connect();
    if (!known) return refused(known.error());
    Caller caller = **known;
    caller.is_program = true;
    caller.channel.clear();
    caller.reader = reader;
    return operation.run(caller, arguments);
  };
}

}  // namespace

std::vector<std::string> chat_usages(const OperationTable& table) {
  std::vector<std::string> usages;
  for (const Operation& operation : table.rows) {
    if (operation.surfaces.chat) usages.push_back(chat_usage(operation));
  }
  return usages;
}

Outcome<bool> check_chat_line(const OperationTable& table, std::string_view line) {
  const auto call = parse_chat(table, line);
  if (!call) return tl::unexpected(call.error());
  return true;
}

Task<Outcome<ChatAnswer>> do_chat_line(const OperationTable& table, Caller caller, std::string line,
                                       bool takes_file_mentions) {
  const auto call = parse_chat(table, line);
  if (!call) co_return tl::unexpected(call.error());
  if (!takes_file_mentions) {
    if (const auto ok = check_mentions(call->arguments); !ok) {
      co_return tl::unexpected(ok.error());
    }
  }
  caller.reader = Reader::person;
  auto answer = co_await call->operation->run(caller, call->arguments);
  if (!answer && answer.error().error == OperationError::usage) {
    co_return refuse(OperationError::usage,
                     answer.error().text + "; usage: " + chat_usage(*call->operation));
  }
  if (!answer) co_return tl::unexpected(answer.error());
  co_return ChatAnswer{json_text(answer->value), std::move(answer->text)};
}

Task<std::string> answer_json_rpc(const OperationTable& table, Connect connect,
                                  std::string message) {
  const JsonRpc rpc(table, run_over(connect));
  auto answer = co_await rpc.answer(message);
  co_return answer;
}

}  // namespace workers
