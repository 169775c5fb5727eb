// Unknown fields are passed over, since the form grows. Values of a wrong kind are failures: a
// guard that is misunderstood is no guard.
#include "workers/hooks/hook_answer.hpp"

#include "eventlog/base/json_depth.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace workers {
namespace {

using domain::HookPoint;
using Json = nlohmann::ordered_json;

// The most of a reason, context or message that is taken.
constexpr std::size_t kTextMax = std::size_t{64} << 10;
constexpr std::size_t kSaidBytesMax = 200;

std::string cut(std::string text, std::size_t bytes_max) {
  domain::cut_text(text, bytes_max);
  return text;
}

class Reader {
 public:
  explicit Reader(HookAnswer& answer) : answer_(answer) {}

  void read(const Json& json, HookPoint point) {
    const Json own = object(json, "hookSpecificOutput");
    take_block(json, own);
    const std::string event = text(own, "hookEventName");
    // A subagent begins by a tool call.
    const bool is_start = point == HookPoint::subagent_start && event == "PreToolUse";
    if (!event.empty() && event != base::enum_name(point) && !is_start) {
      return fail("hookEventName is of another point");
    }
    answer_.context = text(own, "additionalContext");
    answer_.message = text(json, "systemMessage");
    answer_.prompt = text(own, "updatedPrompt", std::string::npos);
    const std::string words = text(own, "updatedBody", std::string::npos);
    if (!words.empty()) answer_.prompt = words;
    take(own, "updatedInput", answer_.input, true);
    take(own, "updatedToolOutput", answer_.output, false);
    const Json goes_on = json.contains("continue") ? json["continue"] : Json();
    if (!goes_on.is_null() && !goes_on.is_boolean()) {
      return fail("continue is neither true nor false");
    }
    if (goes_on == false) {
      answer_.stop = text(json, "stopReason");
      if (answer_.stop.empty()) answer_.stop = "a hook stopped it";
    }
  }

 private:
  void fail(const std::string& what) {
    if (answer_.failure.empty()) answer_.failure = "its answer is not understood: " + what;
  }

  Json object(const Json& json, const char* key) {
    if (!json.contains(key) || json[key].is_null()) return Json::object();
    if (json[key].is_object()) return json[key];
    fail(std::string(key) + " is no object");
    return Json::object();
  }

  std::string text(const Json& json, const char* key, std::size_t bytes_max = kTextMax) {
    if (!json.contains(key) || json[key].is_null()) return {};
    if (!json[key].is_string()) {
      fail(std::string(key) + " is no text");
      return {};
    }
    return cut(json[key].get<std::string>(), bytes_max);
  }

  void take(const Json& json, const char* key, Json& into, bool is_object) {
    if (!json.contains(key) || json[key].is_null()) return;
    if (is_object && !json[key].is_object()) return fail(std::string(key) + " is no object");
    if (is_object && json[key].empty()) return;  // agents take that for no other input
    into = json[key];
  }

  // The older form has "decision"; requests of an approval have a decision that is an object; the
  // gateway's form has "preventDefault" and "message".
  void take_block(const Json& json, const Json& own) {
    std::string decision = text(own, "permissionDecision");
    answer_.reason = text(own, "permissionDecisionReason");
    if (own.contains("decision") && own["decision"].is_object()) {
      const Json request = object(own, "decision");
      decision = text(request, "behavior");
      answer_.reason = text(request, "message");
      take(request, "updatedInput", answer_.input, true);
    }
    if (const std::string older = text(json, "decision"); decision.empty() && !older.empty()) {
      decision = older;
      answer_.reason = text(json, "reason");
    }
    if (json.contains("preventDefault") && json["preventDefault"] == true) {
      decision = "block";
      answer_.reason = text(json, "message");
    }
    if (decision == "deny" || decision == "block") {
      answer_.is_blocking = true;
    } else if (decision == "allow" || decision == "approve") {
      answer_.decision = "allow";
    } else if (decision == "ask") {
      answer_.decision = "ask";
    } else if (!decision.empty()) {
      fail("the decision is unknown");
    }
  }

  HookAnswer& answer_;
};

bool takes_text(HookPoint point) {
  return point == HookPoint::session_start || point == HookPoint::user_prompt_submit;
}

}  // namespace

HookAnswer read_answer(HookPoint point, int exit_code, const std::string& output,
                       const std::string& errors) {
  HookAnswer answer;
  if (exit_code == 2) {
    answer.is_blocking = true;
    answer.reason = cut(errors, kTextMax);
    return answer;
  }
  const std::size_t first = output.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && output[first] == '{';
  const bool is_deep = is_json && base::json_depth(output) > base::kJsonDepthMax;
  const Json json = is_json && !is_deep ? Json::parse(output, nullptr, false) : Json();
  if (json.is_object()) Reader(answer).read(json, point);
  if (exit_code != 0 && !answer.is_blocking) {
    answer = {};
    answer.failure = "it ended with code " + std::to_string(exit_code);
  } else if (is_json && !json.is_object()) {
    answer.failure = "its answer is no JSON";
  } else if (!is_json && takes_text(point)) {
    answer.context = cut(output, kTextMax);
  }
  if (!answer.failure.empty()) {
    answer.said = cut(errors.empty() ? output : errors, kSaidBytesMax);
  }
  return answer;
}

}  // namespace workers
