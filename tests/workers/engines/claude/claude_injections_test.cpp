// Prompts that are added to a turn: one result answers them with it, or further runs do, and then
// the turn has one result all the same.
#include "workers/engines/claude/claude_injections.hpp"

#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/driven_claude.hpp"
#include "tests/workers/engines/claude/recording.hpp"
#include "workers/engines/claude/claude_engine.hpp"

namespace engines {
namespace {

constexpr Time kNow{1'000'000'000};

std::string id_in(const base::Bytes& line) {
  const std::size_t at = line.rfind("\"uuid\":\"") + 8;
  return line.substr(at, line.find('"', at) - at);
}

std::string named(const std::vector<std::string>& ids) {
  std::string list;
  for (const std::string& id : ids) list += (list.empty() ? "\"" : ",\"") + id + "\"";
  return R"("user_message_uuids":[)" + list + R"(],"uuid":")" + numbered_turn(7).text() + "\"";
}

std::string init(const std::vector<std::string>& ids) {
  return R"({"type":"system","subtype":"init","session_id":"s",)" + named(ids) + "}";
}

std::string result(const std::vector<std::string>& ids, const std::string& text) {
  return R"({"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":")" +
         text + R"(","total_cost_usd":0.5,)" + named(ids) + "}";
}

std::string result(const std::string& text) {
  return R"({"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":")" +
         text + R"(","total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":1}})";
}

// A single-turn agent that works on turn 1, to which a prompt was added.
struct Asked {
  explicit Asked(std::int64_t token = 1) : engine({}, launch(token)) {
    first = id_in(engine.begin_turn(numbered_turn(1), "go"));
    added = id_in(engine.inject("and this", kNow));
  }
  static SessionLaunch launch(std::int64_t token) {
    SessionLaunch launch;
    launch.token = {token};
    return launch;
  }
  // Returns the results that the line makes.
  std::vector<domain::ReportTurnResult> on(const std::string& line, Time now = kNow) {
    return results_in(engine.on_line(line, now));
  }
  static std::vector<domain::ReportTurnResult> results_in(const std::vector<Report>& reports) {
    std::vector<domain::ReportTurnResult> results;
    for (const Report& report : reports) {
      if (const auto* one = std::get_if<domain::ReportTurnResult>(&report)) results.push_back(*one);
    }
    return results;
  }

  DrivenClaude engine;
  std::string first;
  std::string added;
};

TEST_CASE("a prompt that the agent takes in is answered by the turn's result", "[workers][R057]") {
  Asked asked(GENERATE(1, 3));
  CHECK(asked.first != asked.added);
  asked.on(init({asked.first}));
  const auto results = asked.on(result({asked.first, asked.added}, "Both."));
  REQUIRE(results.size() == 1);
  CHECK(results[0].turn == numbered_turn(1));
  CHECK(results[0].text == "Both.");
  CHECK(asked.engine.wants_exit());
}

TEST_CASE("a prompt that the agent answers behind the turn has the turn's result wait",
          "[workers][R057]") {
  Asked asked(GENERATE(1, 3));
  asked.on(init({asked.first}));
  CHECK(asked.on(result({asked.first}, "One.")).empty());
  CHECK_FALSE(asked.engine.wants_exit());
  const auto more = asked.engine.on_line(init({asked.added}), kNow);
  CHECK(more.empty());  // no turn of the agent's own
  const auto said = asked.engine.on_line(
      R"({"type":"assistant","parent_tool_use_id":null,"message":{"id":"m","role":"assistant",)"
      R"("content":[{"type":"text","text":"Two."}]}})",
      kNow);
  REQUIRE(said.size() == 1);
  CHECK(std::get<domain::ReportOutput>(said[0]).turn == numbered_turn(1));
  const auto results = asked.on(result({asked.added}, "Two."));
  REQUIRE(results.size() == 1);
  CHECK(results[0].turn == numbered_turn(1));
  CHECK(results[0].text == "Two.");
  CHECK(results[0].model_calls == 4);
  CHECK(asked.engine.wants_exit());
}

TEST_CASE("where results name no prompt, each answers one, and silence the rest",
          "[workers][R057]") {
  Asked asked;
  const std::string plain_init = R"({"type":"system","subtype":"init","session_id":"s"})";
  asked.on(plain_init);
  CHECK(asked.on(result("One.")).empty());
  REQUIRE(asked.engine.deadline());
  CHECK(*asked.engine.deadline() == kNow + ClaudeInjections::kSilence);
  SECTION("a further run answers it") {
    asked.on(plain_init);
    CHECK_FALSE(asked.engine.deadline());
    const auto results = asked.on(result("Two."));
    REQUIRE(results.size() == 1);
    CHECK(results[0].turn == numbered_turn(1));
    CHECK(results[0].usage.input_tokens == 6);
  }
  SECTION("it is given one more") {
    const Time later = kNow + (ClaudeInjections::kSilence - base::Duration{1});
    asked.engine.inject("and that", later);
    CHECK(*asked.engine.deadline() == later + ClaudeInjections::kSilence);
  }
  SECTION("nothing more comes") {
    const auto results = Asked::results_in(asked.engine.on_time(kNow + ClaudeInjections::kSilence));
    REQUIRE(results.size() == 1);
    CHECK(results[0].text == "One.");
    CHECK(asked.engine.wants_exit());
    CHECK_FALSE(asked.engine.deadline());
  }
}

TEST_CASE("a result is held until the last of several prompts is answered", "[workers]") {
  Asked asked;
  const std::string last = id_in(asked.engine.inject("and that", kNow));
  asked.on(init({asked.first}));
  CHECK(asked.on(result({asked.first, asked.added}, "One.")).empty());
  REQUIRE(asked.engine.deadline());
  CHECK(*asked.engine.deadline() == kNow + ClaudeInjections::kNamedSilence);
  const std::string own = R"("uuid":")" + numbered_turn(9).text() + "\"";
  asked.on(R"({"type":"system","subtype":"init","session_id":"s",)" + own + "}");
  const auto by_itself = asked.on(
      R"({"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"Own.",)"
      R"("origin":{"kind":"task-notification"},)" +
      own + "}");
  REQUIRE(by_itself.size() == 1);
  CHECK(by_itself[0].turn == numbered_turn(9));
  const auto results = asked.on(result({last}, "Two."));
  REQUIRE(results.size() == 1);
  CHECK(results[0].turn == numbered_turn(1));
}

TEST_CASE("a prompt that did not reach the agent holds nothing up", "[workers]") {
  Asked asked;
  asked.engine.take_back_injected();
  asked.on(init({asked.first}));
  CHECK(asked.on(result({asked.first}, "One.")).size() == 1);
}

TEST_CASE("a prompt that the agent drops holds nothing up", "[workers]") {
  Asked asked;
  asked.on(init({asked.first}));
  CHECK(asked.on(result({asked.first}, "One.")).empty());
  const auto results = asked.on(
      R"({"type":"command_lifecycle","state":"cancelled","command_uuid":")" + asked.added + "\"}");
  REQUIRE(results.size() == 1);
  CHECK(results[0].text == "One.");
  CHECK_FALSE(results[0].is_error);
}

TEST_CASE("a wake-up answers no prompt that was added to a turn", "[workers]") {
  Asked asked;
  asked.on(init({asked.first}));
  CHECK(asked.on(result({asked.first}, "One.")).empty());
  const std::string own = R"("uuid":")" + numbered_turn(9).text() + "\"";
  asked.on(
      R"({"type":"command_lifecycle","state":"started","wakeup_source":"cron","command_uuid":")" +
      numbered_turn(8).text() + "\"}");
  asked.on(R"({"type":"system","subtype":"init","session_id":"s",)" + own + "}");
  const auto by_itself = asked.on(
      R"({"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"Own.",)" +
      own + "}");
  REQUIRE(by_itself.size() == 1);
  CHECK(by_itself[0].turn == numbered_turn(9));
  CHECK(asked.on(result({asked.added}, "Two.")).size() == 1);
}

TEST_CASE("a failed turn waits for no prompt that was added to it", "[workers]") {
  Asked asked;
  asked.on(init({asked.first}));
  const auto results = asked.on(R"({"type":"result","subtype":"error_during_execution",)"
                                R"("is_error":true,)" +
                                named({asked.first}) + "}");
  REQUIRE(results.size() == 1);
  CHECK(results[0].is_error);
}

TEST_CASE("an agent that ends with a prompt unanswered has not answered its turn", "[workers]") {
  Asked asked;
  asked.on(init({asked.first}));
  CHECK(asked.on(result({asked.first}, "One.")).empty());
  CHECK(Asked::results_in(asked.engine.on_end()).empty());
}

TEST_CASE("what the first of two results tells is counted once", "[workers]") {
  ClaudeInjections injections;
  injections.add(numbered_turn(2));
  domain::ReportTurnResult first;
  first.agent_base = {70};
  first.claimed = {5};
  first.took = base::Duration{base::kIntegerLimit - 1};
  first.text = "One.";
  first.basis = domain::CostBasis::at_least;
  domain::ReportTurnResult last;
  last.claimed = {3};
  last.took = base::Duration{20};
  last.basis = domain::CostBasis::reported;
  last.agent_total = {90};
  injections.hold(first);
  const auto both = injections.take_with(last);
  CHECK(both.agent_base.value == 70);
  CHECK(both.claimed.value == 8);
  CHECK(both.took.count() == base::kIntegerLimit - 1);
  CHECK(both.text == "One.");
  CHECK(both.basis == domain::CostBasis::at_least);
  CHECK(both.agent_total.value == 90);
  CHECK_FALSE(injections.is_holding());
}

}  // namespace
}  // namespace engines
