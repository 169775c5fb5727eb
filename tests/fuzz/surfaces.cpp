// Lines of a chat and JSON-RPC messages, as strangers write them.
#include "tests/fuzz/fuzz.hpp"
#include "workers/operations/chat_line.hpp"
#include "workers/operations/json_rpc.hpp"
#include "workers/operations/operations.hpp"

using workers::Answer;
using workers::Json;
using workers::Operation;
using workers::Outcome;
using workers::Reader;
using workers::Task;

namespace {

Task<Outcome<Answer>> answered(Outcome<Answer> answer) {
  co_return answer;
}

Outcome<Answer> read(const Operation& operation, const Json& given) {
  const auto named = workers::named_arguments(operation.parameters, given);
  if (!named) return tl::unexpected(named.error());
  return Answer{*named, "done"};
}

}  // namespace

// Every input is tried as each of them.
void fuzz::run(ByteView in) {
  const auto& table = workers::operations();
  if (const auto call = workers::parse_chat(table, in)) {
    require(read(*call->operation, call->arguments).has_value(), "a line that is read can be run");
  }
  const workers::JsonRpc rpc(table, [](const Operation& operation, const Json& given, Reader) {
    return answered(read(operation, given));
  });
  const std::string message(in);
  auto task = rpc.answer(message);
  task.start();
  require(task.is_done(), "what waits for nothing is answered at once");
  const std::string answer = task.take();
  require(answer.empty() || Json::accept(answer), "an answer is JSON");
}
