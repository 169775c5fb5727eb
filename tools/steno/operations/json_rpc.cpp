// Reads a message, finds the operation, and wraps what it answers.
#include "tools/steno/operations/json_rpc.hpp"

#include <algorithm>
#include <array>

#include "tools/steno/operations/operations.hpp"
#include "tools/steno/operations/request_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
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

Json failure_json(const Failure& failure) {
  const bool is_usage = failure.exit_code == kExitUsage;
  Json json = error_json(is_usage ? kInvalidParams : kOperationFailed, failure.text);
  json["error"]["data"] = {{"code", exit_code_name(failure.exit_code)},
                           {"exit", failure.exit_code}};
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
          {"serverInfo", {{"name", "steno"}, {"version", STENO_RELEASE}}},
          {"instructions",
           "Steno runs sessions of coding agents in the background. claude_launch starts one; "
           "claude_output shows what it did; claude_respond gives it a further prompt."}};
}

Json tool_list() {
  Json tools = Json::array();
  for (const Operation& operation : operations()) {
    if (operation.tool.empty()) continue;
    tools.push_back({{"name", operation.tool},
                     {"description", operation.summary},
                     {"inputSchema", operation.schema()},
                     {"annotations", {{"readOnlyHint", !operation.changes}}}});
  }
  return {{"tools", tools}};
}

// Returns the request without its wait for events, since one after the other would hold up all
// other callers for as long as they together wait.
Json without_wait(Json request) {
  const auto params = request.is_object() ? request.find("params") : request.end();
  if (!request.is_object() || params == request.end() || !params->is_object()) return request;
  for (const char* name : {"wait_ms", "waitMs"}) {
    const auto wait = params->find(name);
    const bool is_wait = wait != params->end() && wait->is_number_integer() && *wait > 0;
    if (is_wait && request.value("method", Json()) == "claude-code.events") *wait = 0;
  }
  return request;
}

std::string known_methods() {
  std::string names;
  for (const Operation& operation : operations()) {
    if (!operation.method.empty()) names += (names.empty() ? "" : ", ") + operation.method;
  }
  return names + ", tools/list, tools/call";
}

}  // namespace

std::string JsonRpc::answer(std::string_view message) const {
  const auto refuse = [&](int code, const std::string& text) {
    Json refusal = {{"jsonrpc", "2.0"}, {"id", request_id(message)}};
    refusal.update(error_json(code, text));
    return json_text(refusal);
  };
  if (message.size() > kMessageBytesMax) {
    return refuse(kInvalidRequest, "the message has " + std::to_string(message.size()) +
                                       " bytes, of " + std::to_string(kMessageBytesMax) +
                                       " at most; name a file instead of what is in it");
  }
  bool is_deep = false;
  std::size_t events = 0;
  const auto is_kept = [&](int depth, Json::parse_event_t, const Json&) {
    is_deep = is_deep || depth > kDepthMax;
    return !is_deep && ++events <= kParseEventsMax;
  };
  const Json request = Json::parse(without_lone_surrogates(message), is_kept, false);
  if (is_deep) return refuse(kInvalidRequest, "values are nested more than 32 deep");
  if (events > kParseEventsMax) return refuse(kInvalidRequest, "the message has too many values");
  if (request.is_discarded()) return refuse(kParseError, "the message is not JSON");
  if (!request.is_array()) {
    const Json one = answer_one(request);
    return one.is_null() ? "" : json_text(one);
  }
  if (request.empty()) return refuse(kInvalidRequest, "the batch is empty");
  if (request.size() > kBatchMax)
    return refuse(kInvalidRequest, "a batch has at most 100 requests");
  Json answers = Json::array();
  for (const Json& part : request) {
    Json one = answer_one(request.size() > 1 ? without_wait(part) : part);
    if (!one.is_null()) answers.push_back(std::move(one));
  }
  return answers.empty() ? "" : json_text(answers);
}

// Returns null for a message that wants no answer.
Json JsonRpc::answer_one(const Json& request) const {
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
    return answer;
  }
  if (!id.is_string() && !id.is_number() && !id.is_null()) {
    answer.update(error_json(kInvalidRequest, "an id is a text or a number"));
    return answer;
  }
  Json result = result_of(request);
  if (!has_id) return {};
  answer.update(result);
  return answer;
}

Json JsonRpc::result_of(const Json& request) const {
  const std::string method = request["method"];
  const Json params = request.value("params", Json());
  if (method == "initialize") return result_json(initialize(params));
  if (method == "ping" || method.starts_with("notifications/")) return result_json(Json::object());
  if (method == "tools/list") return result_json(tool_list());
  if (method == "tools/call") return call_tool(params);
  const Operation* operation = operation_of_method(method);
  if (operation != nullptr) return call_method(*operation, params);
  return error_json(kMethodNotFound,
                    "there is no method '" + shown(method) + "'; known are " + known_methods());
}

Json JsonRpc::call_method(const Operation& operation, const Json& params) const {
  auto answer = run_(operation, params);
  return answer ? result_json(std::move(answer->value)) : failure_json(answer.error());
}

Json JsonRpc::call_tool(const Json& params) const {
  const auto name = params.is_object() ? params.find("name") : params.end();
  if (!params.is_object() || name == params.end() || !name->is_string()) {
    return error_json(kInvalidParams, "tools/call takes a name and arguments");
  }
  const Operation* operation = operation_of_tool(name->get<std::string>());
  if (operation == nullptr) {
    return error_json(kInvalidParams, "there is no tool '" + shown(name->get<std::string>()) + "'");
  }
  // A model can correct itself only if it is shown what was wrong.
  const auto answer = run_(*operation, params.value("arguments", Json()));
  const auto content = [](const std::string& text) {
    return Json::array({{{"type", "text"}, {"text", text}}});
  };
  if (!answer) {
    return result_json({{"content", content(answer.error().text)}, {"isError", true}});
  }
  Json result = {{"content", content(answer->text)}};
  if (!answer->is_text_only) result["structuredContent"] = answer->value;
  result["isError"] = false;
  return result_json(std::move(result));
}

}  // namespace steno
