// Reads a message, finds the operation, and wraps what it answers.
#include "workers/operations/json_rpc.hpp"

#include <algorithm>
#include <array>

#include "eventlog/base/release.hpp"
#include "workers/operations/request_text.hpp"
#include "workers/operations/surface_names.hpp"
#include "workers/operations/text_bounds.hpp"

namespace workers {
namespace {

// https://www.jsonrpc.org/specification, section 5.1.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kOperationFailed = -32000;

// Values are walked recursively.
constexpr int kDepthMax = 32;
constexpr std::size_t kBatchMax = 100;
// Names, values, beginnings and ends of one message. An object's names are searched one by one.
constexpr std::size_t kParseEventsMax = 10'000;
// Of one message: reading 60 MB would hold up all other callers for seconds.
constexpr std::size_t kMessageBytesMax = std::size_t{1} << 20;

// Newest first.
constexpr std::array<std::string_view, 3> kProtocols = {"2025-06-18", "2025-03-26", "2024-11-05"};

Json error_json(int code, const std::string& text) {
  return {{"error", {{"code", code}, {"message", text}}}};
}

// Returns the exit code that the command line has for an error.
int exit_code_of(OperationError error) {
  switch (error) {
    case OperationError::usage:
      return 2;
    case OperationError::not_found:
      return 3;
    case OperationError::conflict:
      return 4;
    case OperationError::refused:
      return 5;
    case OperationError::unreachable:
      return 6;
    case OperationError::timeout:
      return 7;
    case OperationError::over_budget:
      return 8;
    case OperationError::damaged:
      return 9;
    case OperationError::wrong_log:
      return 11;
    case OperationError::busy:
      return 75;
    case OperationError::failed:
      break;
  }
  return 1;
}

Json refusal_json(const Refusal& refusal) {
  const bool is_usage = refusal.error == OperationError::usage;
  Json json = error_json(is_usage ? kInvalidParams : kOperationFailed, refusal.text);
  json["error"]["data"] = {{"code", base::enum_name(refusal.error)},
                           {"exit", exit_code_of(refusal.error)}};
  return json;
}

Json result_json(Json value) {
  return {{"result", std::move(value)}};
}

Json initialize(const Json& params) {
  std::string_view protocol = kProtocols.front();
  const auto wanted = params.is_object() ? params.find("protocolVersion") : params.end();
  for (const std::string_view known : kProtocols) {
    if (params.is_object() && wanted != params.end() && *wanted == known) protocol = known;
  }
  return {{"protocolVersion", protocol},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "steno"}, {"version", base::release()}}},
          {"instructions",
           "Steno runs sessions of coding agents in the background. claude_launch starts one; "
           "claude_output shows what it did; claude_respond gives it a further prompt; "
           "session_approvals lists what they ask for."}};
}

Json content(const std::string& text) {
  return Json::array({{{"type", "text"}, {"text", text}}});
}

// Adds the key that a client of the Model Context Protocol gives beside the arguments.
void take_key(const Json& params, const Operation& operation, Json& arguments) {
  const auto meta = params.find("_meta");
  if (!operation.changes || meta == params.end() || !meta->is_object()) return;
  const auto key = meta->find("idempotencyKey");
  if (key == meta->end() || key->is_null()) return;
  if (arguments.is_null()) arguments = Json::object();
  if (arguments.is_object() && !arguments.contains(kKeyParameter) &&
      !arguments.contains("idempotencyKey")) {
    arguments[std::string(kKeyParameter)] = *key;
  }
}

}  // namespace

Json JsonRpc::tool_list() const {
  Json tools = Json::array();
  for (const Operation& operation : table_.rows) {
    if (!operation.surfaces.tool) continue;
    tools.push_back({{"name", tool_name(operation)},
                     {"description", operation.summary},
                     {"inputSchema", operation.schema()},
                     {"annotations", {{"readOnlyHint", !operation.changes}}}});
  }
  return {{"tools", tools}};
}

std::string JsonRpc::known_methods() const {
  std::string names;
  for (const Operation& operation : table_.rows) {
    if (!operation.surfaces.method) continue;
    names += (names.empty() ? "" : ", ") + method_name(operation);
  }
  return names + ", tools/list, tools/call";
}

base::Result<Json, std::string> JsonRpc::read(const std::string& message) const {
  const auto refused = [&](int code, const std::string& text) {
    Json refusal = {{"jsonrpc", "2.0"}, {"id", request_id(message)}};
    refusal.update(error_json(code, text));
    return tl::unexpected(json_text(refusal));
  };
  if (message.size() > kMessageBytesMax) {
    return refused(kInvalidRequest, "the message has " + std::to_string(message.size()) +
                                        " bytes, of " + std::to_string(kMessageBytesMax) +
                                        " at most; name a file instead of what is in it");
  }
  bool is_deep = false;
  std::size_t events = 0;
  const auto is_kept = [&](int depth, Json::parse_event_t, const Json&) {
    is_deep = is_deep || depth > kDepthMax;
    return !is_deep && ++events <= kParseEventsMax;
  };
  Json request = Json::parse(without_lone_surrogates(message), is_kept, false);
  if (is_deep) return refused(kInvalidRequest, "values are nested more than 32 deep");
  if (events > kParseEventsMax) return refused(kInvalidRequest, "the message has too many values");
  if (request.is_discarded()) return refused(kParseError, "the message is not JSON");
  if (!request.is_array()) return request;
  if (request.empty()) return refused(kInvalidRequest, "the batch is empty");
  if (request.size() > kBatchMax) {
    return refused(kInvalidRequest, "a batch has at most 100 requests");
  }
  return request;
}

Task<std::string> JsonRpc::answer(const std::string& message) const {
  auto request = read(message);
  if (!request) co_return std::move(request.error());
  if (!request->is_array()) {
    const Json one = co_await answer_one(*request);
    co_return one.is_null() ? std::string() : json_text(one);
  }
  std::vector<Task<Json>> under_way;
  for (const Json& part : *request) under_way.push_back(answer_one(part));
  auto together = all_of(std::move(under_way));
  const auto all = co_await std::move(together);
  Json answers = Json::array();
  for (const Json& one : all) {
    if (!one.is_null()) answers.push_back(one);
  }
  co_return answers.empty() ? std::string() : json_text(answers);
}

Task<Json> JsonRpc::answer_one(const Json& request) const {
  Json answer = {{"jsonrpc", "2.0"}, {"id", nullptr}};
  const bool has_id = request.is_object() && request.contains("id");
  const Json id = has_id ? request["id"] : Json();
  if (id.is_string() || id.is_number()) answer["id"] = id;
  const bool is_request = request.is_object() && request.contains("method") &&
                          request["method"].is_string() && request.contains("jsonrpc") &&
                          request["jsonrpc"] == "2.0";
  if (!is_request) {
    answer.update(error_json(kInvalidRequest,
                             "a request is an object with \"jsonrpc\": \"2.0\" and a \"method\""));
    co_return answer;
  }
  if (!id.is_string() && !id.is_number() && !id.is_null()) {
    answer.update(error_json(kInvalidRequest, "an id is a text or a number"));
    co_return answer;
  }
  const Json result = co_await result_of(request);
  if (!has_id) co_return Json();
  answer.update(result);
  co_return answer;
}

Task<Json> JsonRpc::result_of(const Json& request) const {
  const std::string method = request["method"];
  const Json params = request.value("params", Json());
  if (method == "initialize") co_return result_json(initialize(params));
  if (method == "ping" || method.starts_with("notifications/")) {
    co_return result_json(Json::object());
  }
  if (method == "tools/list") co_return result_json(tool_list());
  if (method == "tools/call") {
    Json result = co_await call_tool(params);
    co_return result;
  }
  const Operation* operation = find_method(table_, method);
  if (operation == nullptr) {
    co_return error_json(kMethodNotFound, "there is no method '" + shown(method) + "'; known are " +
                                              known_methods());
  }
  Json result = co_await call_method(*operation, params);
  co_return result;
}

Task<Json> JsonRpc::call_method(const Operation& operation, const Json& params) const {
  auto answer = co_await run_(operation, params, Reader::program);
  if (!answer) co_return refusal_json(answer.error());
  co_return result_json(std::move(answer->value));
}

Task<Json> JsonRpc::call_tool(const Json& params) const {
  const auto name = params.is_object() ? params.find("name") : params.end();
  if (!params.is_object() || name == params.end() || !name->is_string()) {
    co_return error_json(kInvalidParams, "tools/call takes a name and arguments");
  }
  const Operation* operation = find_tool(table_, name->get<std::string>());
  if (operation == nullptr) {
    co_return error_json(kInvalidParams,
                         "there is no tool '" + shown(name->get<std::string>()) + "'");
  }
  Json arguments = params.value("arguments", Json());
  take_key(params, *operation, arguments);
  auto answer = co_await run_(*operation, arguments, Reader::model);
  // A model can correct itself only if it is shown what was wrong.
  if (!answer) {
    co_return result_json({{"content", content(answer.error().text)}, {"isError", true}});
  }
  Json result = {{"content", content(answer->text)}};
  if (!operation->is_told_in_words) result["structuredContent"] = std::move(answer->value);
  result["isError"] = false;
  co_return result_json(std::move(result));
}

}  // namespace workers
