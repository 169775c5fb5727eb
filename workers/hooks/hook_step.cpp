// What one hook changes the next one is told of.
#include "workers/hooks/hook_step.hpp"

#include <ctime>
#include <nlohmann/json.hpp>

#include "eventlog/base/json_depth.hpp"
#include "eventlog/base/time_text.hpp"
#include "workers/engines/step_changes.hpp"
#include "workers/hooks/hook_answer.hpp"
#include "workers/hooks/hook_runners.hpp"
#include "workers/hooks/session_memory.hpp"

namespace workers {
namespace {

using domain::AskVerdict;
using domain::HookOutcome;
using domain::HookPoint;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json() : json;
}

// The names of the gateway's hook events.
struct EventName {
  HookPoint point;
  const char* type;
  const char* action;
};
constexpr EventName kEventNames[] = {
    {HookPoint::session_start, "session", "start"},
    {HookPoint::user_prompt_submit, "agent", "prompt_submit"},
    {HookPoint::pre_tool_use, "tool", "pre_use"},
    {HookPoint::permission_request, "approval", "request"},
    {HookPoint::post_tool_use, "tool", "post_use"},
    {HookPoint::post_tool_use_failure, "tool", "post_use_failure"},
    {HookPoint::notification, "notification", "send"},
    {HookPoint::subagent_start, "subagent", "start"},
    {HookPoint::subagent_stop, "subagent", "stop"},
    {HookPoint::stop, "lifecycle", "stop"},
    {HookPoint::pre_compact, "compaction", "pre_compact"},
    {HookPoint::session_end, "session", "end"},
};

// The request's text: its call's input, and what else the agent said. What hooks change the next
// ones are told of.
struct Progress {
  explicit Progress(const HookStep& step) {
    const bool is_deep = base::json_depth(step.text) > base::kJsonDepthMax;
    Json text = is_deep ? Json() : parsed(step.text);
    is_readable = text.is_object();
    if (!is_readable) return;
    if (text.contains("input")) input = std::move(text["input"]);
    if (text.contains("context") && text["context"].is_object()) {
      context = std::move(text["context"]);
    }
  }

  std::string prompt() const {
    return context.contains("prompt") && context["prompt"].is_string()
               ? context["prompt"].get<std::string>()
               : std::string();
  }
  // What a hook's `input` is searched in.
  std::string searched() const {
    if (context.contains("notification")) return dump(context["notification"]);
    const std::string said = prompt();
    return said.empty() ? dump(input) : said;
  }

  void take(const HookAnswer& one) {
    const auto join = [](std::string& to, const std::string& more) {
      if (!more.empty()) to += (to.empty() ? "" : "\n") + more;
    };
    join(all.context, one.context);
    join(all.message, one.message);
    if (!one.stop.empty()) all.stop = one.stop;
    if (!one.output.is_null()) all.output = context["tool_response"] = one.output;
    if (!one.input.is_null()) all.input = input = one.input;
    if (!one.prompt.empty()) {
      all.prompt = one.prompt;
      context["prompt"] = one.prompt;
    }
    // That people are asked counts before that they need not be.
    if (one.decision == "ask" || (one.decision == "allow" && all.decision.empty())) {
      all.decision = one.decision;
      all.reason = one.reason;
    }
  }

  bool is_readable = false;
  Json input = Json::object();
  Json context = Json::object();
  HookAnswer all;        // taken together
  std::string feedback;  // objections to what is done already
  std::string allowing;  // the last hook that did
};

void redact(const HookPattern& pattern, Json& value) {
  // Each text is looked at by itself, so that no match can break the JSON.
  if (value.is_string()) {
    value = pattern.replaced(value.get<std::string>(), "[redacted]");
  } else if (value.is_structured()) {
    for (Json& item : value) redact(pattern, item);
  }
}

bool is_quiet_now(const Hook& hook, const HookStep& step, const Progress& progress) {
  const std::time_t seconds = step.wall.us / 1'000'000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  const auto hours = parse_quiet_hours(hook.text);
  const Json news = progress.context.value("notification", Json::object());
  const bool can_wait = news.is_object() && news.value("priority", "") != "timeSensitive";
  return can_wait && hours && hours->contains(local.tm_hour * 60 + local.tm_min);
}

std::string text_in(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) && json[key].is_string()
             ? json[key].get<std::string>()
             : std::string();
}

HookAnswer run_memory(const HookStep& step, const Progress& progress, int stop_fd) {
  HookAnswer answer;
  if (step.point == HookPoint::session_start) {
    Recalled recalled = recall_memory(step.workdir);
    answer.failure = std::move(recalled.problem);
    answer.context = std::move(recalled.text);
    return answer;
  }
  MemoryEntry entry{step.workdir, step_name(step), step.alias, step.ended,
                    text_in(progress.context, "last_assistant_message")};
  if (entry.found.empty()) return answer;
  const Json session = progress.context.value("session", Json());
  entry.title += ": " + text_in(session, "status");
  const std::string reason = text_in(progress.context, "reason");
  if (!reason.empty() && reason != "none") entry.title += " (" + reason + ")";
  answer.failure = keep_memory(entry, stop_fd);
  return answer;
}

HookAnswer run_builtin(const HookTable::Entry& entry, const HookStep& step,
                       const Progress& progress, int stop_fd) {
  const Hook& hook = entry.hook;
  HookAnswer answer;
  switch (*hook.builtin) {
    case BuiltinHook::deny:
      answer.is_blocking = true;
      answer.reason = hook.text;
      break;
    case BuiltinHook::ask:
    case BuiltinHook::allow:
      answer.decision = base::enum_name(*hook.builtin);
      answer.reason = hook.text;
      break;
    case BuiltinHook::context:
      answer.context = hook.text;
      break;
    case BuiltinHook::quiet:
      answer.is_blocking = is_quiet_now(hook, step, progress);
      answer.reason = "quiet hours";
      break;
    case BuiltinHook::memory:
      return run_memory(step, progress, stop_fd);
    case BuiltinHook::redact: {
      const Json output = progress.context.value("tool_response", Json());
      Json changed = output;
      redact(entry.pattern, changed);
      if (changed != output) answer.output = std::move(changed);
      break;
    }
  }
  return answer;
}

std::string payload_of(const HookStep& step, HookPoint point, const Progress& progress) {
  Json payload = {{"session_id", step.session.text()}, {"cwd", step.workdir}};
  for (const auto& [key, value] : progress.context.items()) payload[key] = value;
  payload["hook_event_name"] = base::enum_name(point);
  if (!step.tool.empty()) {
    payload["tool_name"] = step.tool;
    payload["tool_input"] = progress.input;
  }
  for (const EventName& name : kEventNames) {
    if (name.point != point) continue;
    payload["type"] = name.type;
    payload["action"] = name.action;
  }
  payload["sessionKey"] = step.conversation.empty() ? "agent:" + step.agent + ":" + step.alias
                                                    : step.conversation;
  payload["agentId"] = step.agent;
  if (step.turn.is_set()) payload["runId"] = step.turn.text();
  payload["timestamp"] = base::time_text(step.wall);
  if (point == HookPoint::stop) {
    payload["metrics"] = {{"duration", step.turn_took.count() / 1000}};
  }
  payload["workspace"] = {{"path", step.workdir}};
  if (!step.tool.empty()) payload["tool"] = {{"name", step.tool}, {"arguments", progress.input}};
  payload["steno"] = {{"step", step_name(step)}, {"session", step.session.text()},
                      {"alias", step.alias},     {"agent", step.agent},
                      {"engine", step.engine},   {"position", step.position.value},
                      {"tasks", step.tasks}};
  return dump(payload);
}

// The point at which the hook is asked about the step; none: it is not.
HookPoint point_for(const Hook& hook, const HookStep& step) {
  if (hook.has(step.point)) return step.point;
  const bool is_start = step.point == HookPoint::pre_tool_use && starts_subagent(step.tool);
  return is_start && hook.has(HookPoint::subagent_start) ? HookPoint::subagent_start
                                                         : HookPoint::none;
}

bool is_about(const HookTable::Entry& entry, const HookStep& step, const Progress& progress) {
  const Hook& hook = entry.hook;
  const bool is_for = (hook.agent.empty() || hook.agent == step.agent) &&
                      (hook.engine.empty() || hook.engine == step.engine);
  if (!is_for || point_for(hook, step) == HookPoint::none) return false;
  if (!hook.tool.empty() && !entry.tool.matches(step.tool)) return false;
  return hook.input.empty() || entry.input.matches(progress.searched());
}

HookAnswer ask(const HookTable::Entry& entry, const HookStep& step, const Progress& progress,
               const HookPrograms& programs) {
  const Hook& hook = entry.hook;
  if (hook.builtin) return run_builtin(entry, step, progress, programs.stop_fd);
  const HookPoint point = point_for(hook, step);
  return run_hook(hook, {step, point, payload_of(step, point, progress)}, programs);
}

// A hook that may change nothing can still have people asked, and stop.
void leave_only_blocks(HookAnswer& answer, domain::HookRun& run) {
  HookAnswer left;
  left.is_blocking = answer.is_blocking;
  left.reason = answer.reason;
  left.message = answer.message;
  left.stop = answer.stop;
  if (answer.decision == "ask") left.decision = answer.decision;
  const bool is_less = answer.changes_anything() && !left.changes_anything();
  if (is_less && run.note.empty()) run.note = "it may change nothing (modify = false)";
  answer = std::move(left);
}

// At these points a block is an objection to what cannot be undone, which the model is told.
bool is_behind(HookPoint point) {
  return point == HookPoint::post_tool_use || point == HookPoint::post_tool_use_failure ||
         point == HookPoint::session_start;
}
// At these a block has the agent go on, so a failure must not be one.
bool is_end(HookPoint point) {
  return point == HookPoint::stop || point == HookPoint::subagent_stop;
}

std::string changes_text(const HookAnswer& all, const std::string& feedback) {
  Json changes = Json::object();
  const auto add = [&](const char* field, const std::string& text) {
    if (!text.empty()) changes[field] = text;
  };
  namespace field = engines::step_field;
  add(field::kDecision, all.decision);
  if (!all.decision.empty()) add(field::kReason, all.reason);
  if (!all.input.is_null()) changes[field::kInput] = all.input;
  if (!all.output.is_null()) changes[field::kOutput] = all.output;
  add(field::kPrompt, all.prompt);
  add(field::kContext, all.context);
  add(field::kFeedback, feedback);
  add(field::kStop, all.stop);
  add(field::kMessage, all.message);
  return changes.empty() ? std::string() : dump(changes);
}

// Of what the agent asks people hooks only grant, with an input of their own, or deny.
StepOutcome concluded(const HookStep& step, Progress& progress, StepOutcome outcome) {
  HookAnswer& all = progress.all;
  if (step.point == HookPoint::permission_request) {
    if (all.decision != "allow" || step.rule != 0) return outcome;
    outcome.verdict = AskVerdict::granted;
    outcome.hook = progress.allowing;
    if (!all.input.is_null()) outcome.text = dump(all.input);
    return outcome;
  }
  if (step.rule != 0) {
    all.decision = "ask";
    all.reason = domain::rule_reason(step.rule, step.rule_pattern);
  }
  outcome.verdict = AskVerdict::granted;
  outcome.text = changes_text(all, progress.feedback);
  return outcome;
}

std::string reason_of(const Hook& hook, const HookAnswer& answer) {
  if (!answer.failure.empty()) return "The hook " + hook.name + " failed: " + answer.failure;
  if (!answer.reason.empty()) return answer.reason;
  return answer.message.empty() ? "The hook " + hook.name + " blocked it." : answer.message;
}

}  // namespace

std::string step_text_of(const std::string& context) {
  return "{\"input\":{},\"context\":" + context + "}";
}

std::string changed_words(const StepOutcome& outcome) {
  const Json changes = parsed(outcome.text);
  if (!changes.is_object() || !changes.contains(engines::step_field::kPrompt)) return {};
  const Json& words = changes[engines::step_field::kPrompt];
  return words.is_string() ? words.get<std::string>() : std::string();
}

StepOutcome run_hooks(const HookTable& hooks, const HookStep& step, const HookPrograms& programs) {
  StepOutcome outcome;
  Progress progress(step);
  if (!progress.is_readable && !hooks.is_empty()) {
    const bool is_for_people = step.point == HookPoint::permission_request;
    outcome.verdict = is_for_people ? AskVerdict::none : AskVerdict::denied;
    outcome.text =
        is_for_people ? "" : "Hooks cannot be asked about it: it is no JSON that they could read.";
    return outcome;
  }
  for (const HookTable::Entry& entry : hooks.entries()) {
    if (!is_about(entry, step, progress)) continue;
    const Hook& hook = entry.hook;
    const auto begun = Clock::now();
    HookAnswer answer = ask(entry, step, progress, programs);
    domain::HookRun run{hook.name, HookOutcome::passed,
                        std::chrono::duration_cast<base::Duration>(Clock::now() - begun),
                        answer.failure, answer.said};
    if (!hook.may_change) leave_only_blocks(answer, run);
    const bool has_failed = !run.note.empty() && !answer.failure.empty();
    const bool fails_closed = has_failed && hook.blocks_on_failure && !is_end(step.point);
    const bool is_block = answer.is_blocking || fails_closed;
    if (step.point == HookPoint::session_end) {
      run.outcome = has_failed ? HookOutcome::failed : HookOutcome::passed;
    } else if (is_block && is_behind(step.point) && !fails_closed) {
      run.outcome = HookOutcome::changed;
      progress.feedback += (progress.feedback.empty() ? "" : "\n") + reason_of(hook, answer);
    } else if (is_block) {
      run.outcome = HookOutcome::blocked;
      outcome.runs.push_back(std::move(run));
      outcome.verdict = AskVerdict::denied;
      outcome.text = reason_of(hook, answer);
      outcome.hook = hook.name;
      return outcome;
    } else {
      if (has_failed) run.outcome = HookOutcome::failed;
      if (answer.changes_anything()) run.outcome = HookOutcome::changed;
      if (answer.decision == "allow") progress.allowing = hook.name;
      progress.take(answer);
    }
    outcome.runs.push_back(std::move(run));
  }
  return concluded(step, progress, std::move(outcome));
}

}  // namespace workers
