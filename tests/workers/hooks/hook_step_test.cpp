// Hooks are asked in their order about what they are for, and together give one answer.
#include "workers/hooks/hook_step.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace workers {
namespace {

using domain::AskVerdict;
using domain::HookOutcome;
using domain::HookPoint;
using Json = nlohmann::json;

HookStep call(const std::string& command) {
  HookStep step;
  step.agent = "main";
  step.engine = "claude";
  step.workdir = "/";
  step.ask = 7;
  step.point = HookPoint::pre_tool_use;
  step.tool = "Bash";
  step.text = Json{{"input", {{"command", command}}}, {"context", {{"cwd", "/"}}}}.dump();
  return step;
}

Hook hook(std::string name, HookPoint point = HookPoint::pre_tool_use) {
  Hook made;
  made.name = std::move(name);
  made.points = {point};
  return made;
}

Hook builtin(BuiltinHook kind, std::string text, HookPoint point = HookPoint::pre_tool_use) {
  Hook made = hook(std::string(base::enum_name(kind)), point);
  made.builtin = kind;
  made.text = std::move(text);
  return made;
}

Hook command(std::string name, std::string line, HookPoint point = HookPoint::pre_tool_use) {
  Hook made = hook(std::move(name), point);
  made.command = std::move(line);
  return made;
}

Json changes(const StepOutcome& outcome) {
  return outcome.text.empty() ? Json::object() : Json::parse(outcome.text);
}

StepOutcome run(std::vector<Hook> hooks, const HookStep& step) {
  return run_hooks(HookTable(std::move(hooks)), step, {});
}

bool is_asked(const Hook& hook, const HookStep& step) {
  Hook asked = hook;
  asked.builtin = BuiltinHook::context;
  asked.text = "so";
  return !run({asked}, step).runs.empty();
}

TEST_CASE("a hook is asked about what it is for", "[workers]") {
  const HookStep step = call("git push --force");
  Hook one = hook("one");
  CHECK(is_asked(one, step));
  one.tool = "Bash|Write";
  one.input = "push.*--force";
  one.agent = "main";
  one.engine = "claude";
  CHECK(is_asked(one, step));
  CHECK_FALSE(is_asked(one, call("git pull")));
  Hook other = one;
  other.agent = "night";
  CHECK_FALSE(is_asked(other, step));
  other = one;
  other.engine = "scripted";
  CHECK_FALSE(is_asked(other, step));
  other = one;
  other.tool = "Bas";
  CHECK_FALSE(is_asked(other, step));
  other = one;
  other.points = {HookPoint::stop};
  CHECK_FALSE(is_asked(other, step));
  CHECK_FALSE(HookPattern::compile("(", false));
  CHECK_FALSE(HookPattern::compile("((a{1000}){1000}){1000}", false));
}

TEST_CASE("the start of a subagent is a call of its tool", "[workers]") {
  HookStep step = call("");
  CHECK_FALSE(is_asked(hook("one", HookPoint::subagent_start), step));
  step.tool = "Agent";
  CHECK(is_asked(hook("one", HookPoint::subagent_start), step));
  const HookTable table({hook("one", HookPoint::subagent_start), hook("two", HookPoint::stop),
                         hook("three", HookPoint::session_end)});
  CHECK(table.points_of("main", "claude") == std::vector{HookPoint::pre_tool_use, HookPoint::stop});
}

TEST_CASE("what hooks cannot read is not done", "[workers]") {
  std::string deep = R"({"input":)";
  for (int i = 0; i < 100'000; ++i) deep += "[";
  for (const std::string& text : {std::string("no JSON"), deep, std::string()}) {
    HookStep step = call("make");
    step.text = text;
    CHECK(run({builtin(BuiltinHook::context, "so")}, step).verdict == AskVerdict::denied);
    CHECK(run({}, step).verdict == AskVerdict::granted);
    step.point = HookPoint::permission_request;
    CHECK(run({builtin(BuiltinHook::allow, "", HookPoint::permission_request)}, step).verdict ==
          AskVerdict::none);
  }
}

TEST_CASE("a guard sees what the hook before it has made of a call", "[workers]") {
  Hook guard = builtin(BuiltinHook::deny, "no");
  guard.input = "rm -rf";
  const std::string change =
      R"(echo '{"hookSpecificOutput":{"updatedInput":{"command":"rm -rf /"}}}')";
  CHECK(run({guard, command("change", change)}, call("make")).verdict == AskVerdict::granted);
  CHECK(run({command("change", change), guard}, call("make")).verdict == AskVerdict::denied);
}

TEST_CASE("a failure blocks where its setting says so, but for the end of a turn", "[workers]") {
  Hook strict = command("strict", "exit 1");
  strict.blocks_on_failure = true;
  CHECK(run({strict}, call("make")).verdict == AskVerdict::denied);
  HookStep end = call("make");
  end.point = HookPoint::stop;
  strict.points = {HookPoint::stop};
  const StepOutcome outcome = run({strict}, end);
  CHECK(outcome.verdict == AskVerdict::granted);
  CHECK(outcome.runs.front().outcome == HookOutcome::failed);
  CHECK(outcome.runs.front().note == "it ended with code 1");
}

TEST_CASE("an objection to what is done already is told beside it", "[workers]") {
  HookStep step = call("make");
  step.point = HookPoint::post_tool_use;
  const StepOutcome outcome =
      run({command("lint", "echo 'mend it' >&2; exit 2", HookPoint::post_tool_use)}, step);
  CHECK(outcome.verdict == AskVerdict::granted);
  CHECK(changes(outcome)["feedback"] == "mend it");
  Hook broken = command("broken", "exit 1", HookPoint::post_tool_use);
  broken.blocks_on_failure = true;
  CHECK(run({broken}, step).verdict == AskVerdict::denied);
}

TEST_CASE("a hook that may change nothing can still have people asked", "[workers]") {
  Hook asking = builtin(BuiltinHook::ask, "look");
  asking.may_change = false;
  CHECK(changes(run({asking}, call("make")))["decision"] == "ask");
  Hook allowing = builtin(BuiltinHook::allow, "");
  allowing.may_change = false;
  CHECK(run({allowing}, call("make")).text.empty());
}

TEST_CASE("the first hook that blocks ends the row", "[workers]") {
  const StepOutcome outcome =
      run({builtin(BuiltinHook::allow, "fine"), builtin(BuiltinHook::deny, "no"),
           builtin(BuiltinHook::context, "unheard")},
          call("make"));
  CHECK(outcome.verdict == AskVerdict::denied);
  CHECK(outcome.text == "no");
  REQUIRE(outcome.runs.size() == 2);
  CHECK(outcome.runs[0].outcome == HookOutcome::changed);
  CHECK(outcome.runs[1].outcome == HookOutcome::blocked);
}

TEST_CASE("a block without a reason says what its message says", "[workers][N08]") {
  const std::string said =
      R"(echo '{"hookSpecificOutput":{"permissionDecision":"deny"},"systemMessage":"no rm here"}')";
  const StepOutcome outcome = run({command("guard", said)}, call("rm -rf x"));
  CHECK(outcome.verdict == AskVerdict::denied);
  CHECK(outcome.text == "no rm here");
}

TEST_CASE("a hook at the start is told where to leave variables", "[workers]") {
  HookStep start = call("");
  start.point = HookPoint::session_start;
  const Hook tells = command("tells", "echo \"<$CLAUDE_ENV_FILE>\"", HookPoint::session_start);
  CHECK(changes(run({tells}, start))["context"] == "</dev/null>");
  HookPrograms programs;
  programs.session_folder = "/sessions";
  const StepOutcome outcome = run_hooks(HookTable({tells}), start, programs);
  CHECK(changes(outcome)["context"] == "</sessions/" + start.session.text() + "/run/hooks.env>");
  const Hook later = command("later", "test -z \"$CLAUDE_ENV_FILE\"");
  CHECK(run({later}, call("make")).runs.front().outcome == HookOutcome::passed);
}

TEST_CASE("that people are asked counts before that they need not be", "[workers]") {
  for (const bool is_reversed : {false, true}) {
    std::vector<Hook> hooks{builtin(BuiltinHook::ask, "look"), builtin(BuiltinHook::allow, "fine")};
    if (is_reversed) std::swap(hooks[0], hooks[1]);
    const Json made = changes(run(hooks, call("make")));
    CHECK(made["decision"] == "ask");
    CHECK(made["reason"] == "look");
  }
  HookStep ruled = call("make");
  ruled.rule = 3;
  CHECK(changes(run({builtin(BuiltinHook::allow, "fine")}, ruled))["decision"] == "ask");
  CHECK(changes(run({}, ruled))["decision"] == "ask");
  CHECK(run({}, call("make")).text.empty());
}

TEST_CASE("a request for people is granted, denied, or left to them", "[workers]") {
  HookStep step = call("make");
  step.point = HookPoint::permission_request;
  const auto point = HookPoint::permission_request;
  CHECK(run({builtin(BuiltinHook::allow, "", point)}, step).verdict == AskVerdict::granted);
  CHECK(run({builtin(BuiltinHook::deny, "no", point)}, step).verdict == AskVerdict::denied);
  CHECK(run({builtin(BuiltinHook::ask, "", point)}, step).verdict == AskVerdict::none);
  CHECK(run({}, step).verdict == AskVerdict::none);
}

TEST_CASE("a command is told of the step, and changes it for the next", "[workers]") {
  const auto to = [](const std::string& input) {
    return R"(grep -q '"command":")" + input +
           R"("' && echo '{"hookSpecificOutput":{"updatedInput":{"command":"next"}}}')";
  };
  const StepOutcome outcome =
      run({command("first", to("make")), command("second", to("next")),
           command("third", R"x(test "$STENO_STEP" != "" && test "$(pwd)" = /)x")},
          call("make"));
  CHECK(changes(outcome)["input"]["command"] == "next");
  std::vector<HookOutcome> outcomes;
  for (const domain::HookRun& run : outcome.runs) outcomes.push_back(run.outcome);
  CHECK(outcomes == std::vector{HookOutcome::changed, HookOutcome::changed, HookOutcome::passed});
}

// Returns what a command is told at the step.
Json told(const HookStep& step) {
  const std::string line =
      "python3 -c 'import json, sys; print(json.dumps({\"hookSpecificOutput\": "
      "{\"additionalContext\": sys.stdin.read()}}))'";
  const StepOutcome outcome = run({command("tell", line)}, step);
  return Json::parse(changes(outcome)["context"].get<std::string>());
}

TEST_CASE("the payload has the fields of Claude Code and of the gateway", "[workers][R155][R173]") {
  const Json payload = told(call("make"));
  CHECK(payload["hook_event_name"] == "PreToolUse");
  CHECK(payload["tool_name"] == "Bash");
  CHECK(payload["tool_input"]["command"] == "make");
  CHECK(payload["cwd"] == "/");
  CHECK(payload["type"] == "tool");
  CHECK(payload["action"] == "pre_use");
  CHECK(payload["tool"]["arguments"]["command"] == "make");
  CHECK(payload["agentId"] == "main");
  CHECK(payload["steno"]["step"].get<std::string>().ends_with("#7"));
  // An agent's own fields cannot stand for Steno's.
  HookStep forged = call("make");
  forged.text = R"({"input":{},"context":{"steno":"x","agentId":"x","hook_event_name":"x"}})";
  const Json told_too = told(forged);
  CHECK(told_too["agentId"] == "main");
  CHECK(told_too["hook_event_name"] == "PreToolUse");
  CHECK(told_too["steno"]["agent"] == "main");
}

TEST_CASE(
    "what a hook can do follows from its point",
    "[workers][R158][R166][R174][R181][R188][R193][R198][R206][R211][R216][R221][R227][R269]") {
  struct Powers {
    HookPoint point;
    HookPoint asked;     // the point at which the agent is asked
    bool blocks;         // at the ends of work: has the agent go on
    const char* change;  // the field by which it changes something; null: it changes nothing
    const char* kept;    // under which the change is kept
  };
  constexpr auto kPre = HookPoint::pre_tool_use;
  const Powers table[] = {
      {HookPoint::session_start, HookPoint::session_start, false, "additionalContext", "context"},
      {HookPoint::user_prompt_submit, HookPoint::user_prompt_submit, true, "updatedPrompt",
       "prompt"},
      {kPre, kPre, true, "updatedInput", "input"},
      {HookPoint::permission_request, HookPoint::permission_request, true, nullptr, nullptr},
      {HookPoint::post_tool_use, HookPoint::post_tool_use, false, "updatedToolOutput", "output"},
      {HookPoint::post_tool_use_failure, HookPoint::post_tool_use_failure, false,
       "additionalContext", "context"},
      {HookPoint::notification, HookPoint::notification, true, "updatedBody", "prompt"},
      {HookPoint::subagent_start, kPre, true, "updatedInput", "input"},
      {HookPoint::subagent_stop, HookPoint::subagent_stop, true, nullptr, nullptr},
      {HookPoint::stop, HookPoint::stop, true, nullptr, nullptr},
      {HookPoint::pre_compact, HookPoint::pre_compact, true, nullptr, nullptr},
      {HookPoint::session_end, HookPoint::session_end, false, nullptr, nullptr},
  };
  for (const Powers& one : table) {
    CAPTURE(base::enum_name(one.point));
    HookStep step = call("make");
    step.point = one.asked;
    if (one.point == HookPoint::subagent_start) step.tool = "Agent";
    const StepOutcome blocked =
        run({command("blocks", "echo 'not so' >&2; exit 2", one.point)}, step);
    CHECK((blocked.verdict == AskVerdict::denied) == one.blocks);
    if (one.change == nullptr) continue;
    const Json value =
        one.kept == std::string("input") ? Json{{"command", "other"}} : Json("other");
    const Json said = {{"hookSpecificOutput", {{one.change, value}}}};
    const StepOutcome changed =
        run({command("changes", "echo '" + said.dump() + "'", one.point)}, step);
    CHECK(changed.verdict == AskVerdict::granted);
    CHECK(changes(changed)[one.kept] == value);
  }
}

TEST_CASE("texts in an output are redacted each by itself", "[workers]") {
  Hook redact = builtin(BuiltinHook::redact, "", HookPoint::post_tool_use);
  redact.pattern = "secret[0-9]*";
  HookStep step = call("make");
  step.point = HookPoint::post_tool_use;
  step.text =
      Json{{"input", Json::object()},
           {"context",
            {{"tool_response", {{"stdout", "a secret1 \" secret2"}, {"lines", {"secret3", 4}}}}}}}
          .dump();
  CHECK(changes(run({redact}, step))["output"] ==
        Json{{"stdout", "a [redacted] \" [redacted]"}, {"lines", {"[redacted]", 4}}});
  step.text = R"({"input":{},"context":{"tool_response":"plain"}})";
  CHECK(run({redact}, step).text.empty());
}

TEST_CASE("hours of quiet go over midnight", "[workers]") {
  const auto night = parse_quiet_hours("23:00-08:00");
  REQUIRE(night);
  for (const int hour : {23, 0, 7}) CHECK(night->contains(hour * 60));
  for (const int hour : {8, 12, 22}) CHECK_FALSE(night->contains(hour * 60));
  const auto noon = parse_quiet_hours("12:00-13:30");
  REQUIRE(noon);
  CHECK(noon->contains(13 * 60 + 29));
  CHECK_FALSE(noon->contains(13 * 60 + 30));
  for (const char* text :
       {"", "23-8", "24:00-08:00", "23:60-08:00", "23:00 08:00", "-1:00-08:00"}) {
    CHECK_FALSE(parse_quiet_hours(text));
  }
}

TEST_CASE("sessions of an engine need hooks that it lacks, unless they are optional", "[workers]") {
  Hook stops = hook("stops", HookPoint::stop);
  stops.points.push_back(HookPoint::pre_tool_use);
  Hook optional = hook("optional", HookPoint::stop);
  optional.is_optional = true;
  Hook others = hook("others", HookPoint::stop);
  others.engine = "claude";
  Hook agents = hook("agents", HookPoint::stop);
  agents.agent = "main";
  const HookTable table({stops, optional, others, agents}, {{"old", {HookPoint::stop}}});
  CHECK(table.points_of("main", "old") == std::vector{HookPoint::pre_tool_use});
  CHECK(table.points_of("main", "claude") == std::vector{HookPoint::stop, HookPoint::pre_tool_use});
  CHECK(table.not_asked(optional) == std::map<std::string, std::string>{{"old", "Stop"}});
  CHECK(table.not_asked(others).empty());
  const auto gaps = table.gaps();
  REQUIRE(gaps.size() == 2);
  CHECK((gaps[0].hook == "stops" && gaps[0].engine == "old" && gaps[0].points == "Stop"));
  CHECK((gaps[1].hook == "agents" && gaps[1].agent == "main"));
}

}  // namespace
}  // namespace workers
