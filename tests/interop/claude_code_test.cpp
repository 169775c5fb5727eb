// The engine against the real Claude Code, with the fake model behind it. claude_code_test.sh
// starts it and sets STENO_TEST_CLAUDE, STENO_TEST_MODEL_PORT and STENO_TEST_FOLDER.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/interop/agent_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/driven_claude.hpp"
#include "workers/engines/claude/claude_engine.hpp"

namespace {

using domain::Report;
using domain::ReportInitialized;
using domain::ReportOutput;
using domain::ReportToolCallFinished;
using domain::ReportTurnResult;
using engines::EngineSettings;
using engines::SessionLaunch;
using interop::AgentRun;

std::string given(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string folder(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(given("STENO_TEST_FOLDER")) / name;
  std::filesystem::create_directories(path);
  return path;
}

EngineSettings settings() {
  EngineSettings out;
  out.program = {given("STENO_TEST_CLAUDE")};
  out.home = folder("home");
  out.environment = {"ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_MAX_RETRIES=1",
                     "ANTHROPIC_BASE_URL=http://127.0.0.1:" + given("STENO_TEST_MODEL_PORT")};
  return out;
}

SessionLaunch multi_turn() {
  SessionLaunch out;
  out.spec.is_multi_turn = true;
  out.temp_folder = folder("tmp");
  out.runtime_folder = folder("run");
  return out;
}

base::TurnId new_turn() {
  base::SystemRandom random;
  return base::TurnId::make(base::SystemClock().wall(), random);
}

template <class R>
const R* find(const std::vector<Report>& reports) {
  for (const Report& report : reports) {
    if (const R* found = std::get_if<R>(&report)) return found;
  }
  return nullptr;
}

// One session: its engine and its process.
struct Session {
  explicit Session(SessionLaunch launch)
      : engine(engines::driven_claude(settings(), std::move(launch))),
        run(*engine, folder("project")) {}

  std::vector<Report> turn(const std::string& prompt) {
    run.write(engine->begin_turn(new_turn(), prompt));
    return run.until<ReportTurnResult>();
  }

  std::unique_ptr<engines::DrivenClaude> engine;
  AgentRun run;
};

ReportTurnResult result_of(const std::vector<Report>& reports) {
  const auto* result = find<ReportTurnResult>(reports);
  REQUIRE(result != nullptr);
  return *result;
}

TEST_CASE("a real turn begins, speaks and has a result, and the next one costs more", "[interop]") {
  Session session(multi_turn());
  const auto first = session.turn("say hello \"there\" \xE2\x80\xA8 \xF0\x9F\x98\x80");
  REQUIRE(find<ReportInitialized>(first) != nullptr);
  CHECK(find<ReportInitialized>(first)->agent_version == "2.1.329");
  CHECK(find<ReportOutput>(first)->text.starts_with("hello \"there\""));
  CHECK_FALSE(result_of(first).is_error);
  CHECK(result_of(first).usage.output_tokens > 0);
  CHECK(result_of(first).agent_total.value > 0);
  const auto second = session.turn("say bye");
  CHECK(find<ReportInitialized>(second) == nullptr);
  CHECK(result_of(second).text == "bye");
  CHECK(result_of(second).agent_total > result_of(first).agent_total);
  CHECK(session.run.finish() == 0);
}

TEST_CASE("real tool calls: one that is allowed runs, one that needs an approval does not",
          "[interop]") {
  SessionLaunch launch = multi_turn();
  launch.spec.allowed_tools.edit() = {"Bash(echo:*)"};
  Session session(launch);
  const auto allowed = session.turn("bash echo ran");
  REQUIRE(find<ReportToolCallFinished>(allowed) != nullptr);
  CHECK(find<ReportToolCallFinished>(allowed)->output == "ran");
  const auto denied = session.turn("bash touch denied.txt");
  REQUIRE(find<ReportToolCallFinished>(denied) != nullptr);
  CHECK(find<ReportToolCallFinished>(denied)->is_error);
  CHECK_FALSE(result_of(denied).is_error);
  CHECK_FALSE(std::filesystem::exists(folder("project") + "/denied.txt"));
  CHECK(session.run.finish() == 0);
}

TEST_CASE("a real interrupt ends the turn, however early it comes, and the session goes on",
          "[interop]") {
  Session session(multi_turn());
  const auto first = new_turn();
  session.run.write(session.engine->begin_turn(first, "stream 600"));
  session.run.until<domain::ReportPartialOutput>();
  session.run.write(session.engine->interrupt(first));
  auto reports = session.run.until<ReportTurnResult>();
  CHECK(result_of(reports).is_error);
  CHECK(find<ReportOutput>(reports) != nullptr);

  for (int round = 0; round < 3; ++round) {
    const auto turn = new_turn();
    const std::string prompt = session.engine->begin_turn(turn, "stream 600");
    session.run.write(prompt + session.engine->interrupt(turn));
    reports = session.run.until<ReportTurnResult>();
    CHECK(result_of(reports).is_error);
    CHECK(result_of(reports).turn == turn);
  }
  const auto last = new_turn();
  session.run.write(session.engine->begin_turn(last, "hang"));
  session.run.write(session.engine->interrupt(last));
  CHECK(result_of(session.run.until<ReportTurnResult>()).is_error);
  CHECK(result_of(session.turn("say after")).text == "after");
  CHECK(session.run.finish() == 0);
}

TEST_CASE("a real session is resumed and forked", "[interop]") {
  Session first(multi_turn());
  const auto begun = first.turn("say one");
  REQUIRE(find<ReportInitialized>(begun) != nullptr);
  const std::string id = find<ReportInitialized>(begun)->agent_session;
  CHECK(first.run.finish() == 0);

  SessionLaunch launch = multi_turn();
  launch.resume_agent_session = id;
  Session resumed(launch);
  const auto again = resumed.turn("say two");
  REQUIRE(find<ReportInitialized>(again) != nullptr);
  CHECK(find<ReportInitialized>(again)->agent_session == id);
  CHECK(result_of(again).agent_total > result_of(begun).agent_total);
  CHECK(resumed.run.finish() == 0);

  launch = multi_turn();
  launch.spec.resume_agent_session = id;
  launch.spec.is_fork = true;
  Session forked(launch);
  const auto apart = forked.turn("say three");
  REQUIRE(find<ReportInitialized>(apart) != nullptr);
  CHECK(find<ReportInitialized>(apart)->agent_session != id);
  CHECK(forked.run.finish() == 0);

  launch = multi_turn();
  launch.resume_agent_session = "29b0531d-c089-4d87-b7ec-4a53c50dc0b5";
  Session unknown(launch);
  const auto refused = unknown.turn("say four");
  REQUIRE(find<domain::ReportAgentSessionLost>(refused) != nullptr);
  CHECK(find<ReportTurnResult>(refused) == nullptr);
  CHECK(unknown.engine->wants_exit());
  CHECK(unknown.run.finish() == 1);
}

TEST_CASE("a real system prompt reaches the model behind the agent's own", "[interop]") {
  SessionLaunch launch = multi_turn();
  launch.system_prompt = "First line.\nAnswer in rhymes.";
  Session session(launch);
  CHECK(result_of(session.turn("system")).text == "Answer in rhymes.");
  CHECK(session.run.finish() == 0);
}

TEST_CASE("real limits end the turn with their names", "[interop]") {
  SessionLaunch launch = multi_turn();
  launch.spec.max_turns = 1;
  Session few(launch);
  CHECK(result_of(few.turn("bash echo hi")).subtype == "error_max_turns");
  launch.spec.max_turns = 0;
  launch.spec.budget.value = 1000;
  Session poor(launch);
  CHECK(result_of(poor.turn("say much")).subtype == "error_max_budget_usd");
  CHECK(result_of(poor.turn("fail 500")).is_error);
}

}  // namespace
