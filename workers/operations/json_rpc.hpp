// Operations over JSON-RPC 2.0: as methods, and as tools of the Model Context Protocol (initialize,
// ping, tools/list, tools/call; revisions 2024-11-05 to 2025-06-18).
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "workers/operations/operation.hpp"

namespace workers {

class JsonRpc {
 public:
  // Runs an operation for that reader. `arguments` outlives the call, not the task.
  using Run =
      std::function<Task<Outcome<Answer>>(const Operation&, const Json& arguments, Reader reader)>;

  // `table` outlives it.
  JsonRpc(const OperationTable& table, Run run) : table_(table), run_(std::move(run)) {}

  // Answers one message: a request, or a batch of at most 100, whose requests run at the same time
  // and are answered in their order. Empty: a message that wants no answer. Whatever is wrong with
  // the message is told by an error object, with the exit code that the command line would have in
  // its data. This and the message outlive the task.
  Task<std::string> answer(const std::string& message) const;

 private:
  // Returns the requests of a message, or the answer that refuses it.
  base::Result<Json, std::string> read(const std::string& message) const;
  // Returns null for a message that wants no answer.
  Task<Json> answer_one(const Json& request) const;
  Task<Json> result_of(const Json& request) const;
  Task<Json> call_method(const Operation& operation, const Json& params) const;
  Task<Json> call_tool(const Json& params) const;
  Json tool_list() const;
  std::string known_methods() const;

  const OperationTable& table_;
  const Run run_;
};

}  // namespace workers
