// Lines of a chat and JSON-RPC messages, as strangers write them.
#include "tests/fuzz/fuzz.hpp"
#include "tools/steno/operations/chat_line.hpp"
#include "tools/steno/operations/json_rpc.hpp"

using steno::Answer;
using steno::Json;
using steno::Outcome;

// Every input is tried as each of them.
void fuzz::run(ByteView in) {
  const auto run = [](const steno::Operation& operation, const Json& given) -> Outcome<Answer> {
    const auto named = steno::named_arguments(operation.parameters, given);
    if (!named) return tl::unexpected(named.error());
    return Answer{*named, "done"};
  };
  if (const auto call = steno::parse_chat(in)) {
    require(run(*call->operation, call->arguments).has_value(), "a line that is read can be run");
  }
  const std::string answer = steno::JsonRpc(run).answer(in);
  require(answer.empty() || Json::accept(answer), "an answer is JSON");
}
