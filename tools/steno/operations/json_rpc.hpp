// Operations over JSON-RPC 2.0: the methods of the table, and its tools as the Model Context
// Protocol has them (initialize, ping, tools/list, tools/call; revisions 2024-11-05 to 2025-06-18).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tools/steno/operations/operation.hpp"

namespace steno {

class JsonRpc {
 public:
  using Run = std::function<Outcome<Answer>(const Operation&, const Json& arguments)>;

  explicit JsonRpc(Run run) : run_(std::move(run)) {}

  // Answers one message: a request, or a batch of at most 100. Empty: a message that wants no
  // answer. Whatever is wrong with the message is told by an error object, with the exit code that
  // the command line would have in its data.
  std::string answer(std::string_view message) const;

 private:
  Json answer_one(const Json& request) const;
  Json result_of(const Json& request) const;
  Json call_method(const Operation& operation, const Json& params) const;
  Json call_tool(const Json& params) const;

  const Run run_;
};

}  // namespace steno
