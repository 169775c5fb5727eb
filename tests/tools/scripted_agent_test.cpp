// The scripted agent speaks like the real Claude Code: the product's engine understands it, and its
// output depends only on the prompts.
#include "tests/support/agent_harness.hpp"
#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/driven_claude.hpp"
#include "workers/engines/claude/claude_engine.hpp"

namespace {

using support::AgentHarness;
using support::user_line;

std::string control_line(const std::string& id, const std::string& subtype) {
  return R"({"type":"control_request","request_id":")" + id + R"(","request":{"subtype":")" +
         subtype + "\"}}\n";
}

std::int64_t count_with(const AgentHarness& harness, const std::string& part) {
  std::int64_t count = 0;
  for (const auto& line : harness.lines()) count += line.bytes.find(part) != std::string::npos;
  return count;
}

// Writes the prompts, closes stdin and waits for the exit. False: it failed or took too long.
bool play(AgentHarness& harness, const std::vector<std::string>& prompts) {
  if (!harness.start()) return false;
  for (const auto& prompt : prompts) {
    if (!harness.process->write(user_line(prompt))) return false;
  }
  harness.process->close_stdin();
  return harness.pump_until_over() && harness.exited() != nullptr;
}

// Runs a turn for each prompt through the engine for the real Claude Code; returns the reports.
std::vector<domain::Report> reports_of(const std::vector<std::string>& prompts) {
  AgentHarness harness;
  engines::SessionLaunch launch;
  launch.spec.is_multi_turn = true;
  const auto engine = engines::driven_claude({{STENO_SCRIPTED_AGENT}, {}, {}, {}}, launch);
  std::vector<domain::Report> reports;
  if (!harness.start(engine->plan().argv)) return reports;
  bool is_written = harness.process->write(engine->start()).has_value();
  for (std::size_t i = 0; i < prompts.size() && is_written; ++i) {
    base::TurnId turn;
    turn.bytes.back() = static_cast<char>(i + 1);
    // Written twice: a turn that is delivered again must not run again.
    const std::string bytes = engine->begin_turn(turn, prompts[i]);
    is_written = harness.process->write(bytes + bytes).has_value();
    const bool is_over = harness.pump_until([&] {
      for (const auto& line : harness.lines()) {
        for (auto& report : engine->on_line(line.bytes, {})) reports.push_back(std::move(report));
      }
      std::erase_if(harness.events, [](const auto& event) {
        return std::holds_alternative<processes::Frame>(event);
      });
      const auto* result =
          reports.empty() ? nullptr : std::get_if<domain::ReportTurnResult>(&reports.back());
      return result != nullptr && result->turn == turn;
    });
    if (!is_over) break;
  }
  harness.process->close_stdin();
  if (!harness.pump_until_over()) reports.clear();
  for (const auto& line : harness.lines()) {
    for (auto& report : engine->on_line(line.bytes, {})) reports.push_back(std::move(report));
  }
  // How many there are depends on the time that the agent takes.
  std::erase_if(reports, [](const engines::Report& report) {
    return std::holds_alternative<domain::ReportSpending>(report);
  });
  return reports;
}

TEST_CASE("the engine for Claude Code understands the scripted agent", "[tools]") {
  auto reports = reports_of({"[tools 1] [say one]", "[say two] [cost 0.5]"});
  REQUIRE(reports.size() == 8);
  CHECK(std::get<domain::SlashCommandsReported>(reports[1]).commands ==
        std::vector<std::string>{"compact", "context"});
  reports.erase(reports.begin() + 1);
  CHECK(std::get<domain::ReportInitialized>(reports[0]).model == "scripted-1");
  const auto& call = std::get<domain::ReportToolCallStarted>(reports[1]);
  CHECK(call.tool == "Bash");
  CHECK(std::get<domain::ReportToolCallFinished>(reports[2]).call == call.call);
  CHECK(std::get<domain::ReportOutput>(reports[3]).text == "one");
  const auto& first = std::get<domain::ReportTurnResult>(reports[4]);
  CHECK(first.model_calls == 2);
  CHECK(first.agent_total == base::NanoUsd{1'600'000});
  CHECK(first.usage.input_tokens == 200);
  CHECK(std::get<domain::ReportOutput>(reports[5]).text == "two");
  const auto& second = std::get<domain::ReportTurnResult>(reports[6]);
  CHECK_FALSE(second.is_error);
  CHECK(second.text == "two");
  CHECK(second.agent_total == base::NanoUsd{501'600'000});
}

TEST_CASE("each turn begins with init and ends with a result", "[tools]") {
  AgentHarness harness;
  REQUIRE(play(harness, {"[say one]", "[tools 2] [say two]"}));
  CHECK(harness.exited()->code == 0);
  CHECK(count_with(harness, R"("subtype":"init")") == 2);
  CHECK(count_with(harness, R"("type":"result")") == 2);
  CHECK(count_with(harness, R"("type":"tool_use")") == 2);
  CHECK(count_with(harness, R"("type":"tool_result")") == 2);
  CHECK(count_with(harness, R"("num_turns":3)") == 1);
  CHECK(count_with(harness, "stream_event") == 0);
}

TEST_CASE("costs add up over turns, and carry over on resume and fork", "[tools]") {
  const support::TemporaryFolder state;
  const auto play_with = [&](AgentHarness& harness, std::vector<std::string> options) {
    harness.plan.agent.environment.push_back("STENO_SCRIPTED_STATE=" + state.path());
    for (auto& option : options) harness.plan.agent.argv.push_back(std::move(option));
    return play(harness, {"[cost 0.5]", "[cost 0.25]"});
  };
  AgentHarness first;
  REQUIRE(play_with(first, {"--session-id=11111111-1111-4111-8111-111111111111"}));
  CHECK(count_with(first, R"("total_cost_usd":0.5,)") == 1);
  CHECK(count_with(first, R"("total_cost_usd":0.75,)") == 1);
  AgentHarness resumed;
  REQUIRE(play_with(resumed, {"--resume=11111111-1111-4111-8111-111111111111"}));
  CHECK(count_with(resumed, R"("total_cost_usd":1.5,)") == 1);
  CHECK(count_with(resumed, R"("session_id":"11111111-1111-4111-8111-111111111111")") > 0);
  AgentHarness forked;
  REQUIRE(play_with(forked, {"--resume=11111111-1111-4111-8111-111111111111", "--fork-session"}));
  CHECK(count_with(forked, R"("total_cost_usd":2.25,)") == 1);
  CHECK(count_with(forked, R"("session_id":"11111111-1111-4111-8111-111111111111")") == 0);
  AgentHarness unknown;
  REQUIRE(play_with(unknown, {"--resume=22222222-2222-4222-8222-222222222222"}));
  CHECK(unknown.exited()->code == 1);
  CHECK(count_with(unknown, "No conversation found with session ID") == 1);
}

TEST_CASE("words are streamed one by one when partial messages are wanted", "[tools]") {
  AgentHarness harness;
  harness.plan.agent.argv.push_back("--include-partial-messages");
  REQUIRE(play(harness, {"[words 4] [delay 1]"}));
  CHECK(count_with(harness, "content_block_delta") == 4);
  CHECK(count_with(harness, R"("text":"word0 word1 word2 word3"}])") == 1);
}

TEST_CASE("a hanging turn ends when it is interrupted, and the next one runs", "[tools]") {
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(control_line("a", "initialize")));
  REQUIRE(harness.process->write(user_line("[hang]")));
  REQUIRE(harness.pump_until_line("init"));
  REQUIRE(harness.process->write(control_line("b", "interrupt")));
  REQUIRE(harness.pump_until_line("aborted_streaming"));
  const auto lines = harness.lines();
  CHECK(lines[0].bytes.find(R"("request_id":"a")") != std::string::npos);
  CHECK(lines[lines.size() - 3].bytes.find(R"("request_id":"b")") != std::string::npos);
  CHECK(lines[lines.size() - 2].bytes.find("[Request interrupted by user]") != std::string::npos);
  CHECK(lines.back().bytes.find(R"("subtype":"error_during_execution")") != std::string::npos);
  REQUIRE(harness.process->write(user_line("[say after]")));
  REQUIRE(harness.pump_until_line(R"("result":"after")"));
}

TEST_CASE("an interrupt while idle is answered and does not hit the next turn", "[tools]") {
  AgentHarness harness;
  REQUIRE(harness.start());
  REQUIRE(harness.process->write(control_line("a", "interrupt")));
  REQUIRE(harness.process->write(user_line("[say fine]")));
  REQUIRE(harness.pump_until_line(R"("result":"fine")"));
  CHECK(count_with(harness, R"("request_id":"a")") == 1);
}

TEST_CASE("an interrupt right behind its prompt withdraws it", "[tools]") {
  AgentHarness harness;
  const auto engine = engines::driven_claude({{STENO_SCRIPTED_AGENT}, {}, {}, {}}, {});
  REQUIRE(harness.start(engine->plan().argv));
  const std::string prompt = engine->begin_turn({}, "[hang]");
  REQUIRE(harness.process->write(prompt + engine->interrupt({})));
  harness.process->close_stdin();
  REQUIRE(harness.pump_until_over());
  CHECK(harness.exited()->code == 0);
  CHECK(count_with(harness, "\"cancelled\"") == 1);
  CHECK(count_with(harness, "\"init\"") == 0);
}

TEST_CASE("permission is asked for, and a refusal is reported", "[tools]") {
  for (const std::string behavior : {"allow", "deny"}) {
    AgentHarness harness;
    REQUIRE(harness.start());
    REQUIRE(harness.process->write(user_line("[ask]")));
    REQUIRE(harness.pump_until_line("can_use_tool"));
    const std::string request = harness.line_with("can_use_tool");
    const std::string before = R"("request_id":")";
    const std::string id = request.substr(request.find(before) + before.size(), 36);
    REQUIRE(harness.process->write(
        R"({"type":"control_response","response":{"subtype":"success","request_id":")" + id +
        R"(","response":{"behavior":")" + behavior + "\"}}}\n"));
    REQUIRE(harness.pump_until_line(R"("type":"result")"));
    CHECK(count_with(harness, R"("permission_denials":[])") == (behavior == "allow" ? 1 : 0));
  }
}

TEST_CASE("the same prompts give the same bytes", "[tools]") {
  AgentHarness first;
  AgentHarness second;
  second.plan.workdir = first.plan.workdir;
  const std::vector<std::string> prompts = {"[words 9] [tools 2]", "[error]", "[big 100000]",
                                            "[junk] [invalidutf8]"};
  REQUIRE(play(first, prompts));
  REQUIRE(play(second, prompts));
  CHECK(first.lines() == second.lines());
  CHECK(first.exited()->code == 0);
}

TEST_CASE("a turn that failed makes the exit code 1, as does a line that is no JSON", "[tools]") {
  AgentHarness failed;
  REQUIRE(play(failed, {"[error]"}));
  CHECK(failed.exited()->code == 1);
  AgentHarness broken;
  REQUIRE(broken.start());
  REQUIRE(broken.process->write("no json\n"));
  REQUIRE(broken.pump_until_over());
  CHECK(broken.exited()->code == 1);
}

TEST_CASE("the agent exits or dies when told to", "[tools]") {
  AgentHarness exits;
  REQUIRE(play(exits, {"[exit 42]"}));
  CHECK(exits.exited()->code == 42);
  AgentHarness dies;
  REQUIRE(play(dies, {"[crash]"}));
  CHECK(dies.exited()->signal == 9);
}

}  // namespace
