// A question is held in the step before its call, where the agent can be told to wait without a
// process; its answer reaches the request of the call itself.
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/recording.hpp"
#include "workers/engines/claude/claude_engine.hpp"

namespace engines {
namespace {

using Json = nlohmann::json;

constexpr const char* kInput =
    R"({"questions":[{"question":"Which?","options":[{"label":"this"}]}]})";

std::string step_frame(const std::string& tool, const std::string& agent = {}) {
  const std::string of_agent = agent.empty() ? "" : R"("agent_id":")" + agent + R"(",)";
  return R"({"type":"control_request","request_id":"s1","request":{"subtype":"hook_callback",)"
         R"("callback_id":"PreToolUse","input":{)" +
         of_agent + R"("hook_event_name":"PreToolUse","tool_name":")" + tool +
         R"(","tool_input":)" + kInput + R"(,"tool_use_id":"t1"}}})";
}

std::string call_frame(const std::string& tool) {
  return R"({"type":"control_request","request_id":"c1","request":{"subtype":"can_use_tool",)"
         R"("tool_name":")" +
         tool + R"(","input":)" + kInput + R"(,"tool_use_id":"t1"}})";
}

struct Driven {
  explicit Driven(std::vector<domain::HookPoint> points = {},
                  domain::Approvals approvals = domain::Approvals::ask) {
    SessionLaunch session;
    session.spec.approvals = approvals;
    session.hook_points = std::move(points);
    engine = make_claude_engine({}, std::move(session));
  }
  Output give(Input::Step step) { return engine->handle({std::move(step), now}); }
  Output frame(const std::string& line) { return give(FrameCame{line}); }
  // The agent makes so many calls in one message; the first is t1.
  void calls(const std::string& tool, int count = 1) {
    for (int i = 1; i <= count; ++i) {
      frame(R"({"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t)" +
            std::to_string(i) + R"(","name":")" + tool + R"(","input":{}}]}})");
    }
  }
  Output asks(const std::string& tool) {
    calls(tool);
    return frame(step_frame(tool));
  }
  base::Time now;
  std::unique_ptr<Engine> engine;
};

Json response_of(const Output& out) {
  return Json::parse(out.writes).at("response");
}

TEST_CASE("a question is asked in the step before its call, and its call is answered at once",
          "[workers]") {
  Driven agent;
  const Output held = agent.asks("AskUserQuestion");
  REQUIRE(held.asks.size() == 1);
  CHECK(held.asks[0].kind == AskKind::question);
  CHECK(held.asks[0].is_deferrable);
  CHECK(held.asks[0].call == "t1");
  CHECK(held.writes.empty());
  const Output passed = agent.give(Answer{held.asks[0], true, R"(["this"])"});
  CHECK(response_of(passed).at("request_id") == "s1");
  CHECK(response_of(passed).at("response") == Json::object());
  const Output called = agent.frame(call_frame("AskUserQuestion"));
  CHECK(called.asks.empty());
  const Json answer = response_of(called);
  CHECK(answer.at("request_id") == "c1");
  CHECK(answer.at("response").at("behavior") == "allow");
  CHECK(answer.at("response").at("updatedInput").at("answers").at("Which?") == "this");
}

TEST_CASE("a plan that is denied in its step is denied in the words of its answer", "[workers]") {
  Driven agent;
  const Output held = agent.asks("ExitPlanMode");
  REQUIRE(held.asks.size() == 1);
  CHECK(held.asks[0].kind == AskKind::plan);
  agent.give(Answer{held.asks[0], false, "Leave it."});
  const Json answer = response_of(agent.frame(call_frame("ExitPlanMode")));
  CHECK(answer.at("response").at("behavior") == "deny");
  CHECK(answer.at("response").at("message") == "Leave it.");
}

TEST_CASE("hooks come before people where both are asked", "[workers]") {
  Driven agent({domain::HookPoint::pre_tool_use});
  const Output step = agent.asks("AskUserQuestion");
  REQUIRE(step.asks.size() == 1);
  CHECK(step.asks[0].kind == AskKind::step);
  const Output held =
      agent.give(Answer{step.asks[0], true, R"({"input":{"questions":[]},"context":"Be brief."})"});
  CHECK(held.writes.empty());
  REQUIRE(held.asks.size() == 1);
  CHECK(held.asks[0].kind == AskKind::question);
  CHECK(held.asks[0].details == R"({"questions":[]})");
  const Json answer = response_of(agent.give(Answer{held.asks[0], true, "[]"}));
  CHECK(answer.at("response").at("hookSpecificOutput").at("additionalContext") == "Be brief.");
  // What hooks block is asked of nobody.
  Driven other({domain::HookPoint::pre_tool_use});
  const Output blocked = other.asks("AskUserQuestion");
  CHECK(other.give(Answer{blocked.asks.at(0), false, "No questions."}).asks.empty());
}

TEST_CASE("an agent that defers names the call in its result", "[workers]") {
  Driven agent;
  agent.give(BeginTurn{numbered_turn(1), "go"});
  const Output held = agent.asks("AskUserQuestion");
  const Json line = response_of(agent.give(Defer{held.asks.at(0)}));
  CHECK(line.at("response").at("hookSpecificOutput").at("permissionDecision") == "defer");
  const Output over =
      agent.frame(R"({"type":"result","subtype":"success","is_error":false,"result":"",)"
                  R"("deferred_tool_use":{"id":"t1","name":"AskUserQuestion","input":{}}})");
  CHECK(over.withdrawn.empty());
  REQUIRE_FALSE(over.reports.empty());
  CHECK(std::get<domain::ReportTurnResult>(over.reports.back()).deferred == "t1");
}

TEST_CASE("an agent that does not defer withdraws what it has asked", "[workers]") {
  Driven agent;
  agent.give(BeginTurn{numbered_turn(1), "go"});
  const Output held = agent.asks("AskUserQuestion");
  agent.give(Defer{held.asks.at(0)});
  const Output over =
      agent.frame(R"({"type":"result","subtype":"success","is_error":false,"result":"Done."})");
  CHECK(over.withdrawn == std::vector<std::string>{"s1"});
  // What a hook of its own defers is no wait of ours.
  agent.give(BeginTurn{numbered_turn(2), "go"});
  const Output own =
      agent.frame(R"({"type":"result","subtype":"success","is_error":false,"result":"",)"
                  R"("deferred_tool_use":{"id":"t9","name":"Bash","input":{}}})");
  CHECK(std::get<domain::ReportTurnResult>(own.reports.back()).deferred.empty());
}

// The agent gives a hook up when its time is over, after 23 days, and does not make the call.
TEST_CASE("a question for which the agent waits no longer is over", "[workers]") {
  for (const bool has_hooks : {false, true}) {
    Driven agent(has_hooks ? std::vector{domain::HookPoint::pre_tool_use}
                           : std::vector<domain::HookPoint>{});
    agent.give(BeginTurn{numbered_turn(1), "go"});
    Output held = agent.asks("AskUserQuestion");
    if (has_hooks) held = agent.give(Answer{held.asks.at(0), true, {}});
    REQUIRE(held.asks.size() == 1);
    const Output given_up = agent.frame(R"({"type":"control_cancel_request","request_id":"s1"})");
    CHECK(given_up.withdrawn == std::vector<std::string>{"s1"});
    const Output over = agent.frame(
        R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1",)"
        R"("is_error":true,"content":"did not respond before its timeout"}]}})");
    CHECK(over.withdrawn.empty());
    // The same question is asked anew.
    CHECK(agent.frame(step_frame("AskUserQuestion")).asks.size() == 1);
  }
}

TEST_CASE("a turn that was deferred is begun without a prompt, and asks again", "[workers]") {
  Driven agent;
  const auto turn = numbered_turn(1);
  CHECK(agent.give(BeginTurn{turn, {}, {}, true}).writes.empty());
  const Output held = agent.frame(step_frame("AskUserQuestion"));
  REQUIRE(held.asks.size() == 1);
  CHECK(held.asks[0].turn == turn);
  CHECK(held.state.can_defer);
}

TEST_CASE("an agent that does not ask again ends its turn with an error", "[workers]") {
  Driven agent;
  agent.now = {1'000'000};
  const Output begun = agent.give(BeginTurn{numbered_turn(1), {}, {}, true});
  REQUIRE(begun.state.deadline);
  agent.now = *begun.state.deadline;
  const Output over = agent.give(TimeIsDue{});
  REQUIRE(over.reports.size() == 1);
  CHECK(std::get<domain::ReportTurnResult>(over.reports[0]).subtype == "not_asked_again");
}

TEST_CASE("what an earlier process deferred is denied where something else goes on", "[workers]") {
  Driven agent;
  agent.give(BeginTurn{numbered_turn(1), "go"});
  const Output left = agent.frame(step_frame("AskUserQuestion"));
  CHECK(left.asks.empty());
  CHECK(response_of(left).at("response").at("hookSpecificOutput").at("permissionDecision") ==
        "deny");
  // What the agent does with that is no answer to the prompt.
  agent.frame(R"({"type":"system","subtype":"init","session_id":"s"})");
  const Output own = agent.frame(
      R"({"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"Well."})");
  for (const Report& report : own.reports) {
    if (const auto* result = std::get_if<domain::ReportTurnResult>(&report)) {
      CHECK(result->turn != numbered_turn(1));
    }
  }
}

TEST_CASE("one of several calls of a message cannot be deferred", "[workers]") {
  Driven agent;
  agent.give(BeginTurn{numbered_turn(1), "go"});
  agent.calls("AskUserQuestion", 2);
  CHECK_FALSE(agent.frame(step_frame("AskUserQuestion")).state.can_defer);
}

TEST_CASE("only the agent's own questions are held, and only where people hear them", "[workers]") {
  Driven agent;
  CHECK(agent.frame(step_frame("AskUserQuestion", "a1")).asks.at(0).kind == AskKind::step);
  CHECK(agent.frame(step_frame("Bash")).asks.at(0).kind == AskKind::step);
  const std::string asking = agent.give(Begin{}).writes;
  CHECK(asking.find("AskUserQuestion|ExitPlanMode") != std::string::npos);
  Driven denying({}, domain::Approvals::deny);
  CHECK(denying.give(Begin{}).writes.find("PreToolUse") == std::string::npos);
}

}  // namespace
}  // namespace engines
