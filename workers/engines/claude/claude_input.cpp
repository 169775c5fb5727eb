// Lines are built with a JSON library; the agent's answers and requests share two envelopes.
#include "workers/engines/claude/claude_input.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "eventlog/base/json_depth.hpp"
#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/characters.hpp"
#include "workers/engines/step_changes.hpp"

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

// The points of which the agent tells its host, and waits. The others are asked by the host itself.
constexpr domain::HookPoint kCallbackPoints[] = {
    domain::HookPoint::pre_tool_use,  domain::HookPoint::post_tool_use,
    domain::HookPoint::subagent_stop, domain::HookPoint::post_tool_use_failure,
    domain::HookPoint::stop,          domain::HookPoint::pre_compact};

// 23 days, near the most that the agent's timers can count. Behind it the agent would not make the
// call.
constexpr int kCallbackSeconds = 2'000'000;

// Returns the value with other words in place of its own, in the same form.
Json withheld(const Json& value) {
  if (value.is_string()) return value.get<std::string>().empty() ? "" : "[withheld]";
  if (!value.is_structured()) return value;
  Json other = value;
  for (Json& item : other) item = withheld(item);
  return other;
}

// The tools by which the agent asks its user.
constexpr const char* kAskingTools = "AskUserQuestion|ExitPlanMode";

Json callbacks_of(const std::vector<domain::HookPoint>& points, bool holds_questions) {
  Json hooks = Json::object();
  for (const domain::HookPoint point : kCallbackPoints) {
    const bool is_asked = std::find(points.begin(), points.end(), point) != points.end();
    const bool is_held = holds_questions && point == domain::HookPoint::pre_tool_use;
    if (!is_asked && !is_held) continue;
    const std::string name(base::enum_name(point));
    Json matcher = {{"hookCallbackIds", {name}}, {"timeout", kCallbackSeconds}};
    if (!is_asked) matcher["matcher"] = kAskingTools;
    // What its guard cannot be asked about is not done.
    if (point == domain::HookPoint::pre_tool_use) matcher["onFailure"] = "block";
    hooks[name] = Json::array({std::move(matcher)});
  }
  return hooks;
}

Json block_of(const PromptFile& file) {
  const bool is_text = file.media_type == domain::kTextType;
  Json block = {{"type", domain::is_image(file.media_type) ? "image" : "document"},
                {"source",
                 {{"type", is_text ? "text" : "base64"},
                  {"media_type", file.media_type},
                  {"data", is_text ? file.data : base::to_base64(file.data)}}}};
  if (block["type"] == "document") block["title"] = file.name;
  return block;
}

// A prompt without files is one text, which the agent reads for its own commands. The model's API
// refuses a text of which nothing is shown.
Json content_of(base::ByteView prompt, const std::vector<PromptFile>& files) {
  if (files.empty()) return prompt;
  Json blocks = Json::array();
  for (const PromptFile& file : files) blocks.push_back(block_of(file));
  if (!domain::prompt_fault(prompt)) blocks.push_back({{"type", "text"}, {"text", prompt}});
  return blocks;
}

Json parsed(base::ByteView text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json::object() : json;
}

}  // namespace

bool is_callback_point(domain::HookPoint point) {
  return std::find(std::begin(kCallbackPoints), std::end(kCallbackPoints), point) !=
         std::end(kCallbackPoints);
}

base::Bytes initialize_line(std::string_view request_id, base::ByteView system_prompt,
                            const std::vector<domain::HookPoint>& points, bool holds_questions) {
  Json body = {{"subtype", "initialize"}, {"forwardSubagentText", true}};
  if (!system_prompt.empty()) body["appendSystemPrompt"] = system_prompt;
  if (Json hooks = callbacks_of(points, holds_questions); !hooks.empty())
    body["hooks"] = std::move(hooks);
  return request(request_id, std::move(body));
}

base::Bytes prompt_line(base::TurnId turn, base::ByteView prompt,
                        const std::vector<PromptFile>& files) {
  return line({{"type", "user"},
               {"message", {{"role", "user"}, {"content", content_of(prompt, files)}}},
               {"parent_tool_use_id", nullptr},
               {"session_id", ""},
               {"uuid", turn.text()}});
}

// Without cancel_queued the agent would run a prompt that it has not begun yet (observed: an
// interrupt written right behind its prompt).
base::Bytes interrupt_line(std::string_view request_id, bool withdraws_prompts) {
  return request(request_id, {{"subtype", "interrupt"}, {"cancel_queued", withdraws_prompts}});
}

base::Bytes setting_line(std::string_view request_id, std::string_view key,
                         const domain::SessionSpec& spec) {
  if (key == "permission_mode") {
    return request(request_id, {{"subtype", "set_permission_mode"},
                                {"mode", base::enum_name(spec.permission_mode)}});
  }
  if (key == "model") {
    const Json model = spec.model.empty() ? Json() : Json(spec.model);
    return request(request_id, {{"subtype", "set_model"}, {"model", model}});
  }
  if (key != "thinking_tokens") return {};
  const Json tokens = spec.thinking_tokens > 0 ? Json(spec.thinking_tokens) : Json();
  return request(request_id,
                 {{"subtype", "set_max_thinking_tokens"}, {"max_thinking_tokens", tokens}});
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

base::Bytes step_line(const Ask& ask, bool is_granted, base::ByteView text) {
  const domain::HookPoint point = ask.point;
  const bool is_call = point == domain::HookPoint::pre_tool_use;
  const bool is_output = point == domain::HookPoint::post_tool_use;
  Json answer = Json::object();
  Json own = {{"hookEventName", base::enum_name(point)}};
  if (!is_granted && is_call) {
    own["permissionDecision"] = "deny";
    own["permissionDecisionReason"] = text;
  } else if (!is_granted) {
    answer["decision"] = "block";
    answer["reason"] = text;
    const bool is_deep = base::json_depth(ask.context) > base::kJsonDepthMax;
    const Json context = is_output && !is_deep ? parsed(ask.context) : Json();
    if (context.is_object() && context.contains("tool_response")) {
      own["updatedToolOutput"] = withheld(context["tool_response"]);
    }
  } else {
    const Json changes = parsed(text);
    const auto pass_on = [&](const char* from, Json& to, const char* as) {
      if (changes.contains(from)) to[as] = changes[from];
    };
    pass_on(step_field::kContext, own, "additionalContext");
    pass_on(step_field::kMessage, answer, "systemMessage");
    pass_on(step_field::kStop, answer, "stopReason");
    if (changes.contains(step_field::kStop)) answer["continue"] = false;
    if (is_call) {
      pass_on(step_field::kDecision, own, "permissionDecision");
      pass_on(step_field::kReason, own, "permissionDecisionReason");
      pass_on(step_field::kInput, own, "updatedInput");
    }
    if (is_output) pass_on(step_field::kOutput, own, "updatedToolOutput");
    pass_on(step_field::kFeedback, answer, "reason");
    if (changes.contains(step_field::kFeedback)) answer["decision"] = "block";
  }
  if (own.size() > 1) answer["hookSpecificOutput"] = std::move(own);
  return success(ask.id, std::move(answer));
}

base::Bytes defer_line(std::string_view request_id) {
  return success(
      request_id,
      {{"hookSpecificOutput", {{"hookEventName", "PreToolUse"}, {"permissionDecision", "defer"}}}});
}

base::Bytes reply_line(std::string_view request_id, base::ByteView result) {
  return success(request_id, parsed(result));
}

base::Bytes refusal_line(std::string_view request_id, std::string_view error) {
  return response({{"subtype", "error"}, {"request_id", request_id}, {"error", error}});
}

}  // namespace engines
