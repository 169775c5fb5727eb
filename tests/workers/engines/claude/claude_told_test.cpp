// What the agent tells its host beside the conversation: a refused prompt, denied calls that only
// the result names, servers that are not connected, limits, and hooks without a verdict.
#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/driven_claude.hpp"
#include "tests/workers/engines/claude/recording.hpp"
#include "workers/engines/claude/claude_engine.hpp"

namespace engines {
namespace {

using Lines = std::vector<std::string>;
constexpr base::Time kNow{1'000'000'000};

DrivenClaude engine_in_turn() {
  DrivenClaude engine({}, {});
  engine.begin_turn(numbered_turn(1), "go");
  return engine;
}

std::string init(const std::string& servers = "[]") {
  return R"({"type":"system","subtype":"init","session_id":"s","mcp_servers":)" + servers + "}";
}

std::string informational(const std::string& rest) {
  return R"({"type":"system","subtype":"informational","content":"Not on Sundays.")" + rest + "}";
}

std::string result(const std::string& rest) {
  return R"({"type":"result","subtype":"success","is_error":false,"result":"Not on Sundays.")" +
         rest + "}";
}

// Returns the last report of these lines, which must be a result.
domain::ReportTurnResult result_of(const Lines& lines) {
  DrivenClaude engine = engine_in_turn();
  std::vector<Report> reports;
  for (const std::string& line : lines) reports = engine.on_line(line, kNow);
  REQUIRE_FALSE(reports.empty());
  return std::get<domain::ReportTurnResult>(reports.back());
}

TEST_CASE("an answer that was whole when the budget was spent is the turn's answer", "[workers]") {
  const auto streamed = [](const std::string& event) {
    return R"({"type":"stream_event","parent_tool_use_id":null,"event":)" + event + "}";
  };
  const std::string begun = streamed(R"({"type":"message_start","message":{"id":"m"}})");
  const std::string said =
      R"({"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"All done."}]}})";
  const auto ended = [&](const std::string& reason) {
    return streamed(R"({"type":"message_delta","delta":{"stop_reason":")" + reason +
                    R"("},"usage":{"output_tokens":9}})");
  };
  const std::string spent = R"({"type":"result","subtype":"error_max_budget_usd","is_error":true,)"
                            R"("errors":["Over the budget of $0.01"]})";
  const auto whole = result_of({init(), begun, said, ended("end_turn"), spent});
  CHECK_FALSE(whole.is_error);
  CHECK(whole.text == "All done.");
  const auto cut = result_of({init(), begun, said, ended("tool_use"), spent});
  CHECK(cut.is_error);
  CHECK(cut.text == "Over the budget of $0.01");
}

TEST_CASE("a prompt that is refused before the model is asked is a failed turn", "[workers]") {
  const std::string unasked = result(R"(,"num_turns":0)");
  for (const char* told :
       {R"(,"level":"warning")", R"(,"level":"notice","prevent_continuation":true)",
        R"(,"prompt_submit_outcome":{"kind":"blocked_by_hook"})"}) {
    const auto refused = result_of({init(), informational(told), unasked});
    CHECK(refused.is_error);
    CHECK(refused.subtype == "prompt_refused");
    CHECK(refused.text == "Not on Sundays.");
  }
  // A command that the agent carries out by itself, a warning about a hook, an answer of the model.
  CHECK_FALSE(result_of({init(), unasked}).is_error);
  CHECK_FALSE(result_of({init(), informational(R"(,"level":"notice")"), unasked}).is_error);
  CHECK_FALSE(
      result_of({init(), informational(R"(,"level":"warning","tag":"x")"), unasked}).is_error);
  CHECK_FALSE(result_of({init(), informational(R"(,"level":"warning")"),
                         result(R"(,"num_turns":1,"terminal_reason":"completed")")})
                  .is_error);
  // The run before was refused.
  CHECK_FALSE(result_of({init(), informational(R"(,"level":"warning")"), unasked, init(), unasked})
                  .is_error);
}

TEST_CASE("denied calls that only the result names are told", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  engine.on_line(init(), kNow);
  const auto reports = shown(engine.on_line(
      result(R"(,"permission_denials":[{"tool_name":"Write","tool_use_id":"c1","tool_input":{}}])"),
      kNow));
  REQUIRE(reports.size() == 2);
  CHECK(reports.front() == "ToolCallDenied turn=01 call=c1 tool=Write");
}

TEST_CASE("a denied call is told once", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  engine.on_line(init(), kNow);
  engine.on_line(R"({"type":"system","subtype":"permission_denied","tool_use_id":"c1"})", kNow);
  engine.on_line(R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result",)"
                 R"("tool_use_id":"c1","is_error":true,"content":"Denied."}]}})",
                 kNow);
  CHECK(
      engine
          .on_line(result(R"(,"permission_denials":[{"tool_name":"W","tool_use_id":"c1"}])"), kNow)
          .size() == 1);
}

TEST_CASE("servers that are not connected are told at each change", "[workers]") {
  const std::string broken =
      R"([{"name":"docs","status":"failed"},{"name":"ok","status":"connected"},)"
      R"({"name":"new","status":"pending"},{"name":"off","status":"disabled"}])";
  DrivenClaude engine = engine_in_turn();
  CHECK(shown(engine.on_line(init(broken), kNow)).back() ==
        "McpServersReported broken=docs: failed");
  CHECK(engine.on_line(init(broken), kNow).empty());
  CHECK(shown(engine.on_line(init(), kNow)) == Lines{"McpServersReported broken="});
}

TEST_CASE("a limit that allows all is told once", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  const auto told = [&](const std::string& status) {
    return engine
        .on_line(R"({"type":"rate_limit_event","rate_limit_info":{"status":")" + status +
                     R"(","rateLimitType":"five_hour"}})",
                 kNow)
        .size();
  };
  CHECK(told("allowed") == 1);
  CHECK(told("allowed") == 0);
  CHECK(told("rejected") == 1);
  CHECK(told("rejected") == 1);
  CHECK(told("allowed") == 1);
}

TEST_CASE("a hook without a verdict is told with its call", "[workers]") {
  DrivenClaude engine = engine_in_turn();
  engine.on_line(init(), kNow);
  const auto reports = shown(engine.on_line(
      informational(R"(,"level":"warning","tag":"hook_no_verdict","hook_no_verdict":)"
                    R"({"hook_event":"PreToolUse","tool_use_id":"c1","timed_out":true})"),
      kNow));
  CHECK(reports == Lines{"AgentNoted turn=01 level=warning tag=hook_no_verdict call=c1 "
                         "text=Not on Sundays."});
}

TEST_CASE("the agent is asked for the words of subagents within its turns", "[workers]") {
  DrivenClaude engine({}, {});
  CHECK(engine.start().find(R"("forwardSubagentText":true)") != base::Bytes::npos);
}

}  // namespace
}  // namespace engines
