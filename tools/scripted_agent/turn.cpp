// Adds up scripted durations, not real ones, which would differ on each run.
#include "tools/scripted_agent/turn.hpp"

#include <signal.h>
#include <spawn.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace scripted_agent {
namespace {

// Reported duration of a call of the simulated model.
constexpr std::int64_t kCallMs = 10;
constexpr std::size_t kDeltaBytes = 4096;

Json text_block(const std::string& text) {
  return {{"type", "text"}, {"text", text}};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) parts.emplace_back();
    if (c != separator) parts.back() += c;
  }
  return parts;
}

Json tool_result(const Json& tool_use, const std::string& content, bool is_error) {
  return {{"tool_use_id", tool_use["id"]},
          {"type", "tool_result"},
          {"content", content},
          {"is_error", is_error}};
}

// Returns what the script's calls are: a question, a plan, or an echo.
Json call_of(const Script& script, const std::string& number, const std::string& id) {
  Json call = {{"type", "tool_use"}, {"id", id}, {"name", "Bash"}};
  call["input"] = {{"command", script.command.value_or("echo " + number)},
                   {"description", "Say " + number}};
  if (script.task) {
    call["name"] = "Agent";
    call["input"] = {{"description", "A task"}, {"prompt", *script.task}};
  }
  if (script.plan) {
    call["name"] = "ExitPlanMode";
    call["input"] = {{"plan", *script.plan}};
  }
  if (!script.question) return call;
  call["name"] = "AskUserQuestion";
  Json questions = Json::array();
  for (const std::string& each : split(*script.question, '/')) {
    std::vector<std::string> parts = split(each, '|');
    Json options = Json::array();
    for (std::size_t i = 1; i < parts.size(); ++i) {
      options.push_back({{"label", parts[i]}, {"description", ""}});
    }
    questions.push_back(
        {{"question", parts[0]}, {"header", ""}, {"multiSelect", false}, {"options", options}});
  }
  call["input"] = {{"questions", questions}};
  return call;
}

// Notes outside of the host's reach that the call is carried out.
void note_run(const std::string& call) {
  const char* path = std::getenv("STENO_SCRIPTED_RAN");
  if (path == nullptr) return;
  std::ofstream(path, std::ios::app) << std::to_string(::getpid()) + " " + call + "\n";
}

// Returns what a call yields that got this input.
std::string result_of(const Json& call, const Json& input, const std::string& number) {
  if (call["name"] == "ExitPlanMode") return "User has approved your plan";
  if (call["name"] == "Bash") {
    return input == call["input"] ? number : input.value("command", std::string());
  }
  std::string text = "Your questions have been answered:";
  const Json answers = input.value("answers", Json::object());
  for (const auto& [question, answer] : answers.items()) {
    text += " \"" + question + "\"=" + answer.dump();
  }
  return text;
}

std::string said(const Settings& settings) {
  const std::string mode = settings.permission_mode.empty() ? "default" : settings.permission_mode;
  return "mode " + mode + ", model " + (settings.model.empty() ? "default" : settings.model) +
         ", thinking " + std::to_string(settings.thinking_tokens);
}

}  // namespace

TurnOutcome Turn::play(const Script& script, const Json& deferred) {
  outcome_ = {};
  deferred_ = deferred;
  heard_.clear();
  host_.begin_turn();
  host_.set_turn_running(true);
  // Set before the first frame, so that a host which has seen one knows that it is in force.
  if (script.is_deaf) ::signal(SIGTERM, SIG_IGN);
  // As Claude Code, it introduces itself behind a call that it makes again.
  const auto introduce = [&] {
    frames_.init(settings_.model, settings_.permission_mode, script.broken_server.value_or(""));
  };
  if (deferred_.is_null()) introduce();
  play_oddities(script);
  if (script.refusal) return refused(*script.refusal);
  if (is_limited(script)) {
    frames_.rate_limit(resets_at_);
    host_.set_turn_running(false);
    outcome_.is_error = true;
    outcome_.terminal_reason = "api_error";
    outcome_.api_status = 429;
    outcome_.text = "You've hit your limit";
    return outcome_;
  }
  if (script.hangs) {
    while (pause(-1)) continue;
  }
  if (script.compacts) {
    hook("PreCompact", {{"trigger", "auto"}}, nullptr);
    frames_.compacted();
  }
  play_tools(script);
  if (!deferred_.is_null() && outcome_.deferred.is_null()) introduce();
  if (!outcome_.deferred.is_null()) {
    outcome_.terminal_reason = "tool_deferred";
    host_.set_turn_running(false);
    return outcome_;
  }
  if (!host_.is_interrupted() && !script.is_stopped) {
    play_text(script);
    while (!host_.is_interrupted() && goes_on_behind(outcome_.text)) continue;
  }
  if (script.is_stopped) outcome_.terminal_reason = "hook_stopped";
  host_.set_turn_running(false);
  if (host_.is_interrupted()) return interrupted(is_in_tool_);
  if (script.ending == Ending::error) {
    outcome_.is_error = true;
    outcome_.terminal_reason = "api_error";
  }
  return outcome_;
}

bool Turn::is_limited(const Script& script) {
  if (!script.limit_s) return false;
  const auto now = static_cast<std::int64_t>(::time(nullptr));
  if (resets_at_ == 0) resets_at_ = now + *script.limit_s;
  return now < resets_at_;
}

// Waits; returns true if the time has passed without an interrupt.
bool Turn::pause(std::int64_t ms) {
  const std::int64_t step = ms < 0 ? 1'000'000 : ms;
  while (!host_.is_interrupted()) {
    // Input from the host restarts the pause: a script's times are lower bounds.
    if (host_.wait(step)) break;
  }
  if (ms > 0) outcome_.duration_ms += ms;
  return !host_.is_interrupted();
}

void Turn::play_oddities(const Script& script) {
  if (script.stderr_bytes > 0) {
    write_all(STDERR_FILENO, std::string(static_cast<std::size_t>(script.stderr_bytes), 'e'));
    write_all(STDERR_FILENO, "end of stderr\n");
  }
  if (script.writes_junk) write_all(STDOUT_FILENO, "this line is not JSON {\n");
  if (script.writes_invalid_utf8) {
    write_all(STDOUT_FILENO,
              "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":"
              "[{\"type\":\"text\",\"text\":\"\xff\xfe\xc3\"}]}}\n");
  }
  if (script.starts_child) {
    const int pid = start_sleeper(script.child_is_bare);
    frames_.assistant(text_block("child " + std::to_string(pid)), false);
  }
}

void Turn::play_tools(const Script& script) {
  for (std::int64_t i = 0; i < script.tools && !host_.is_interrupted(); ++i) {
    ++outcome_.calls;
    outcome_.duration_ms += kCallMs;
    const std::string number = std::to_string(i);
    Json tool_use = deferred_;
    const bool is_again = i == 0 && !deferred_.is_null();
    if (!is_again) {
      tool_use = call_of(script, number, "toolu_" + frames_.next_id());
      if (settings_.has_partial_messages) frames_.message_start();
      frames_.assistant(tool_use, false);
      end_message("tool_use");
    }
    is_in_tool_ = true;
    if (script.warning) frames_.informational(*script.warning, tool_use["id"].get<std::string>());
    const Json asked = tool_use;
    Permission permission = before_call(tool_use);
    if (!outcome_.deferred.is_null()) return;
    if (permission.is_given && script.asks) permission = ask(tool_use);
    // As Claude Code, it rejects a call that waits for an approval when it is interrupted.
    const bool is_rejected = !permission.is_given && host_.is_interrupted();
    if (!is_rejected && !pause(script.delay_ms)) return;
    is_in_tool_ = is_rejected;
    if (permission.is_given) {
      tool_use["input"] = permission.input;
      note_run(tool_use["id"].get<std::string>());
      if (script.task) end_subagent(*script.task);
      const std::string result = after_call(
          script, tool_use, script.output.value_or(result_of(asked, permission.input, number)));
      frames_.user(tool_result(tool_use, result, script.fails),
                   {{"stdout", result}, {"stderr", ""}, {"interrupted", false}});
    } else {
      outcome_.permission_denials.push_back({{"tool_name", tool_use["name"]},
                                             {"tool_use_id", tool_use["id"]},
                                             {"tool_input", tool_use["input"]}});
      frames_.user(tool_result(tool_use, permission.message, true), "Error: " + permission.message);
    }
  }
}

std::optional<Json> Turn::request(Json body) {
  const std::string id = frames_.next_id();
  host_.set_pending_request(id);
  frames_.control_request(id, std::move(body));
  while (!host_.is_interrupted()) {
    if (const auto answer = host_.take_answer(id)) {
      host_.set_pending_request({});
      return answer->value("response", Json::object());
    }
    host_.wait(-1);
  }
  return std::nullopt;
}

Turn::Permission Turn::ask(const Json& tool_use, const std::string& reason) {
  Json body = {{"subtype", "can_use_tool"},
               {"tool_name", tool_use["name"]},
               {"display_name", tool_use["name"]},
               {"input", tool_use["input"]},
               {"description", tool_use["input"].value("description", "")},
               {"permission_suggestions", Json::array()},
               {"tool_use_id", tool_use["id"]}};
  if (!reason.empty()) {
    body["decision_reason"] = reason;
    body["decision_reason_type"] = "hook";
  }
  const auto response = request(std::move(body));
  if (!response) return {false, {}, "denied"};
  const bool is_given = response->value("behavior", "") == "allow";
  return {is_given, response->value("updatedInput", tool_use["input"]),
          response->value("message", "denied")};
}

Json Turn::hook(const std::string& point, Json input, const Json& tool_use) {
  const std::string tool = tool_use.is_object() ? tool_use.value("name", "") : std::string();
  const std::string callback = host_.callback_of(point, tool);
  if (callback.empty()) return Json::object();
  input["session_id"] = frames_.session_id();
  input["hook_event_name"] = point;
  if (tool_use.is_object()) {
    input["tool_name"] = tool_use["name"];
    input["tool_input"] = tool_use["input"];
    input["tool_use_id"] = tool_use["id"];
  }
  Json response = request({{"subtype", "hook_callback"},
                           {"callback_id", callback},
                           {"input", input},
                           {"tool_use_id", input.value("tool_use_id", frames_.next_id())}})
                      .value_or(Json::object());
  const Json own = response.value("hookSpecificOutput", Json::object());
  if (const std::string context = own.value("additionalContext", ""); !context.empty()) {
    heard_ += " [heard: " + context + "]";
  }
  if (const std::string message = response.value("systemMessage", ""); !message.empty()) {
    frames_.informational(point + " says: " + message, {});
  }
  return response;
}

Turn::Permission Turn::before_call(Json& tool_use) {
  const Json own =
      hook("PreToolUse", Json::object(), tool_use).value("hookSpecificOutput", Json::object());
  if (own.contains("updatedInput")) tool_use["input"] = own["updatedInput"];
  const std::string decision = own.value("permissionDecision", "");
  if (decision == "deny") return {false, {}, own.value("permissionDecisionReason", "denied")};
  if (decision == "ask") return ask(tool_use, own.value("permissionDecisionReason", ""));
  if (decision == "defer") outcome_.deferred = tool_use;
  return {true, tool_use["input"], {}};
}

std::string Turn::after_call(const Script& script, const Json& tool_use, std::string result) {
  if (script.fails) {
    hook("PostToolUseFailure", {{"error", result}, {"is_interrupt", false}}, tool_use);
    return result;
  }
  const Json output = {{"stdout", result}, {"stderr", ""}, {"interrupted", false}};
  const Json response = hook("PostToolUse", {{"tool_response", output}}, tool_use);
  const Json own = response.value("hookSpecificOutput", Json::object());
  if (response.value("decision", "") == "block")
    heard_ += " [heard: " + response.value("reason", "") + "]";
  return own.contains("updatedToolOutput") ? own["updatedToolOutput"].value("stdout", result)
                                           : result;
}

// The subagent does nothing else.
void Turn::end_subagent(const std::string& task) {
  hook("SubagentStop",
       {{"agent_id", "task"},
        {"agent_type", "general-purpose"},
        {"stop_hook_active", false},
        {"last_assistant_message", "I was to " + task}},
       nullptr);
}

// True if a hook has the agent go on behind its answer, and it has.
bool Turn::goes_on_behind(const std::string& answer) {
  const Json response =
      hook("Stop", {{"stop_hook_active", false}, {"last_assistant_message", answer}}, nullptr);
  if (response.value("decision", "") != "block" || answer.find("Going on: ") == 0) return false;
  Script more;
  more.text = "Going on: " + response.value("reason", "");
  play_text(more);
  return true;
}

void Turn::play_text(const Script& script) {
  ++outcome_.calls;
  outcome_.duration_ms += kCallMs;
  std::string sent;
  stream_text(script, sent);
  const bool is_aborted = host_.is_interrupted();
  if (!is_aborted) end_process(script);
  if (!sent.empty() || !is_aborted) frames_.assistant(text_block(sent), is_aborted);
  stream({{"type", "content_block_stop"}, {"index", 0}});
  end_message(is_aborted ? Json(nullptr) : Json("end_turn"));
  outcome_.text = sent;
}

void Turn::end_message(const Json& stop_reason) {
  stream({{"type", "message_delta"},
          {"delta", {{"stop_reason", stop_reason}}},
          {"usage", {{"output_tokens", kOutputTokens}}}});
  stream({{"type", "message_stop"}});
}

void Turn::stream_text(const Script& script, std::string& sent) {
  if (settings_.has_partial_messages) frames_.message_start();
  stream({{"type", "content_block_start"}, {"index", 0}, {"content_block", text_block("")}});
  const std::string text = (script.says_settings ? said(settings_) : script.text) + heard_;
  std::string_view rest = text;
  if (!script.is_streamed_by_word && !pause(script.delay_ms)) return;
  while (!rest.empty()) {
    std::size_t length = std::min(rest.size(), kDeltaBytes);
    if (script.is_streamed_by_word) {
      if (!pause(script.delay_ms)) return;
      length = std::min(rest.find(' '), rest.size() - 1) + 1;
    }
    const std::string part(rest.substr(0, length));
    rest.remove_prefix(length);
    sent += part;
    stream({{"type", "content_block_delta"},
            {"index", 0},
            {"delta", {{"type", "text_delta"}, {"text", part}}}});
  }
}

void Turn::stream(Json event) {
  if (settings_.has_partial_messages) frames_.stream(std::move(event));
}

void Turn::end_process(const Script& script) {
  switch (script.ending) {
    case Ending::result:
    case Ending::error:
      return;
    case Ending::exit:
      ::_exit(script.exit_code);
    case Ending::crash:
      ::kill(::getpid(), SIGKILL);
      return;
    case Ending::half_line:
      write_all(STDOUT_FILENO, "{\"type\":\"assistant\",\"message\":{\"role\":\"assi");
      ::_exit(0);
    case Ending::endless_line:
      write_all(STDOUT_FILENO, "{\"type\":\"assistant\",\"text\":\"");
      for (const std::string block(65536, 'x');;) write_all(STDOUT_FILENO, block);
  }
}

// The agent calls it a success.
TurnOutcome Turn::refused(const std::string& why) {
  host_.set_turn_running(false);
  outcome_.text = "UserPromptSubmit operation blocked by hook: " + why;
  outcome_.terminal_reason.clear();
  frames_.informational(outcome_.text, "");
  return outcome_;
}

TurnOutcome Turn::interrupted(bool is_in_tool) {
  frames_.user(text_block(is_in_tool ? "[Request interrupted by user for tool use]"
                                     : "[Request interrupted by user]"));
  outcome_.is_error = true;
  outcome_.subtype = "error_during_execution";
  outcome_.terminal_reason = is_in_tool ? "aborted_tools" : "aborted_streaming";
  outcome_.text = "[ede_diagnostic] interrupted";
  is_in_tool_ = false;
  return outcome_;
}

int start_sleeper(bool is_bare) {
  char program[] = "/proc/self/exe";
  char option[] = "--sleep";
  char* arguments[] = {program, option, nullptr};
  char* nothing[] = {nullptr};
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = -1;
  ::posix_spawn(&pid, program, nullptr, &attributes, arguments, is_bare ? nothing : environ);
  ::posix_spawnattr_destroy(&attributes);
  return pid;
}

}  // namespace scripted_agent
