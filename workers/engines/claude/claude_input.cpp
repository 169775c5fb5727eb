// Lines are built with a JSON library; the agent's answers and requests share two envelopes.
#include "workers/engines/claude/claude_input.hpp"

#include <nlohmann/json.hpp>

#include "eventlog/base/json_depth.hpp"

namespace engines {
namespace {

using Json = nlohmann::ordered_json;

// Escapes to ASCII, because some readers take U+2028 for the end of a line.
base::Bytes line(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

base::Bytes request(std::string_view request_id, Json body) {
  return line({{"type", "control_request"}, {"request_id", request_id}, {"request", body}});
}

base::Bytes response(Json body) {
  return line({{"type", "control_response"}, {"response", body}});
}

base::Bytes success(std::string_view request_id, Json answer) {
  return response({{"subtype", "success"}, {"request_id", request_id}, {"response", answer}});
}

Json parsed(base::ByteView text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json::object() : json;
}

}  // namespace

base::Bytes initialize_line(std::string_view request_id, base::ByteView system_prompt) {
  Json body = {{"subtype", "initialize"}, {"forwardSubagentText", true}};
  if (!system_prompt.empty()) body["appendSystemPrompt"] = system_prompt;
  return request(request_id, std::move(body));
}

base::Bytes prompt_line(base::TurnId turn, base::ByteView prompt) {
  return line({{"type", "user"},
               {"message", {{"role", "user"}, {"content", prompt}}},
               {"parent_tool_use_id", nullptr},
               {"session_id", ""},
               {"uuid", turn.text()}});
}

// Without cancel_queued the agent would run a prompt that it has not begun yet (observed: an
// interrupt written right behind its prompt).
base::Bytes interrupt_line(std::string_view request_id, bool withdraws_prompts) {
  return request(request_id, {{"subtype", "interrupt"}, {"cancel_queued", withdraws_prompts}});
}

std::optional<base::Bytes> granted_input(const Ask& ask, base::ByteView text) {
  const int depth = std::max(base::json_depth(ask.details), base::json_depth(text));
  if (depth > base::kJsonDepthMax) return std::nullopt;
  if (text.empty())
    return ask.kind == AskKind::question ? std::nullopt : std::optional(ask.details);
  const Json answer = Json::parse(text, nullptr, false);
  if (ask.kind != AskKind::question) {
    return answer.is_object() ? std::optional(base::Bytes(text)) : std::nullopt;
  }
  Json input = parsed(ask.details);
  if (!input.is_object()) return std::nullopt;
  const Json questions = input.value("questions", Json::array());
  if (!answer.is_array() || !questions.is_array()) return std::nullopt;
  Json answers = Json::object();
  for (std::size_t i = 0; i < std::min(answer.size(), questions.size()); ++i) {
    const bool is_understood = answer[i].is_string() && questions[i].is_object() &&
                               questions[i].value("question", Json()).is_string();
    if (!is_understood) return std::nullopt;
    answers[questions[i]["question"].get<std::string>()] = answer[i];
  }
  input["answers"] = std::move(answers);
  return input.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Without an input of its own the call would have none.
base::Bytes allow_line(std::string_view request_id, std::string_view call, base::ByteView input) {
  Json answer = {{"behavior", "allow"}, {"updatedInput", parsed(input)}};
  if (!call.empty()) answer["toolUseID"] = call;
  return success(request_id, std::move(answer));
}

base::Bytes deny_line(std::string_view request_id, std::string_view call,
                      std::string_view message) {
  Json answer = {{"behavior", "deny"}, {"message", message}};
  if (!call.empty()) answer["toolUseID"] = call;
  return success(request_id, std::move(answer));
}

base::Bytes reply_line(std::string_view request_id, base::ByteView result) {
  return success(request_id, parsed(result));
}

base::Bytes refusal_line(std::string_view request_id, std::string_view error) {
  return response({{"subtype", "error"}, {"request_id", request_id}, {"error", error}});
}

}  // namespace engines
