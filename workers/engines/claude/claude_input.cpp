// Lines are built with a JSON library; the agent's answers and requests share two envelopes.
#include "workers/engines/claude/claude_input.hpp"

#include <nlohmann/json.hpp>

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

base::Bytes deny_line(std::string_view request_id, std::string_view call,
                      std::string_view message) {
  Json answer = {{"behavior", "deny"}, {"message", message}};
  if (!call.empty()) answer["toolUseID"] = call;
  return response({{"subtype", "success"}, {"request_id", request_id}, {"response", answer}});
}

base::Bytes refusal_line(std::string_view request_id, std::string_view error) {
  return response({{"subtype", "error"}, {"request_id", request_id}, {"error", error}});
}

}  // namespace engines
