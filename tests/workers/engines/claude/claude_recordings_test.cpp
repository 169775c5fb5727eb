// Recordings of the real Claude Code, played into the engine; the reports must be exactly these.
#include <algorithm>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/driven_claude.hpp"
#include "tests/workers/engines/claude/recording.hpp"
#include "workers/engines/claude/claude_engine.hpp"

namespace {

using engines::driven_claude;
using engines::replayed;
using engines::shown;
using Lines = std::vector<std::string>;

bool is_notice(const engines::Report& report) {
  return std::holds_alternative<domain::ModelCallRetried>(report) ||
         std::holds_alternative<domain::RateLimitReported>(report) ||
         std::holds_alternative<domain::ContextCompacted>(report) ||
         std::holds_alternative<domain::AgentStatusReported>(report);
}

Lines reports_of(const std::string& name) {
  const auto engine = driven_claude(engines::priced(), {});
  auto reports = replayed(*engine, name);
  std::erase_if(reports, [](const engines::Report& report) {
    return std::holds_alternative<domain::ReportSpending>(report) ||
           std::holds_alternative<domain::SlashCommandsReported>(report) || is_notice(report);
  });
  return shown(reports);
}

// Returns what the agent tells of calls that are made again, limits, and summaries.
Lines notices_of(const std::string& name) {
  const auto engine = driven_claude(engines::priced(), {});
  auto reports = replayed(*engine, name);
  std::erase_if(reports, [](const engines::Report& report) { return !is_notice(report); });
  return shown(reports);
}

std::string initialized(const std::string& agent_session) {
  return "Initialized agent_session=" + agent_session +
         " model=claude-opus-5-5 agent_version=2.1.329";
}

std::string said(const std::string& turn, const std::string& text) {
  return "Output turn=" + turn + " kind=text text=" + text;
}

std::string finished(const std::string& turn, const std::string& numbers, const std::string& text) {
  return "TurnResult turn=" + turn +
         " error=no subtype=success terminal_reason=completed api_status=0 " + numbers +
         " text=" + text;
}

const std::string kFixed = "Fixed answer from the fake server.";
const std::string kAborted =
    "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null";

TEST_CASE("a single turn is its beginning, its text and its result", "[workers]") {
  CHECK(reports_of("single_turn") ==
        Lines{initialized("5aead043-cd79-4ace-9a3e-8e457355de47"), said("01", kFixed),
              finished("01", "usage=100/20/0/0 agent_total=800000 model_calls=1 took_us=218000",
                       kFixed)});
}

TEST_CASE("a block that is finished within a second is not reported in part", "[workers]") {
  const std::string words = "word0 word1 word2 word3";
  CHECK(reports_of("single_turn_partial") ==
        Lines{initialized("a4f08c3e-2871-467c-bf9f-e5d6774dc370"), said("a8f8ae72", words),
              finished("a8f8ae72",
                       "usage=100/20/0/0 agent_total=800000 model_calls=1 took_us=790000", words)});
}

TEST_CASE("the agent is initialized once, the totals grow from turn to turn", "[workers]") {
  CHECK(
      reports_of("multi_turn") ==
      Lines{initialized("e5d6479e-dba3-4a8f-9d65-27a6cfea0514"), said("60a35bda", kFixed),
            finished("60a35bda", "usage=100/20/0/0 agent_total=800000 model_calls=1 took_us=170000",
                     kFixed),
            said("fb83472f", kFixed),
            finished("fb83472f", "usage=100/20/0/0 agent_total=1600000 model_calls=1 took_us=39000",
                     kFixed)});
}

TEST_CASE("tool calls carry their input as it came and end in the order of their ends",
          "[workers][R019]") {
  const Lines all = reports_of("tool_run");
  REQUIRE(all.size() == 18);
  CHECK(Lines(all.begin() + 1, all.begin() + 6) ==
        Lines{said("01", "I will use a tool."),
              "ToolCallStarted turn=01 call=toolu_febc8d7ef1cf4e03ae4b tool=Bash "
              "input={\"command\":\"echo hi\",\"description\":\"Say hi\"}",
              "ToolCallFinished turn=01 call=toolu_febc8d7ef1cf4e03ae4b error=no output=hi",
              said("01", "The tool ran; done."),
              finished("01", "usage=200/40/0/0 agent_total=1600000 model_calls=2 took_us=351000",
                       "The tool ran; done.")});
  CHECK(Lines(all.begin() + 12, all.begin() + 16) ==
        Lines{"ToolCallStarted turn=03 call=toolu_418b7a14d6874fab8c94 tool=Bash "
              "input={\"command\":\"echo hi\",\"description\":\"Say hi\"}",
              "ToolCallStarted turn=03 call=toolu_c53b27f628b54ea4b770 tool=Read "
              "input={\"file_path\":\"/srv/project/readme.txt\"}",
              "ToolCallFinished turn=03 call=toolu_c53b27f628b54ea4b770 error=no "
              "output=1\thello from a file\n2\t",
              "ToolCallFinished turn=03 call=toolu_418b7a14d6874fab8c94 error=no output=hi"});
}

TEST_CASE("thinking is told from text", "[workers]") {
  CHECK(reports_of("think") ==
        Lines{initialized("ee6a4d85-f13f-459f-9072-35761a61f9ca"),
              "Output turn=01 kind=thinking text=Let me think.", said("01", "Thought about it."),
              finished("01", "usage=100/20/0/0 agent_total=800000 model_calls=1 took_us=172000",
                       "Thought about it.")});
}

TEST_CASE("an interrupted stream is recorded in part, then as far as it came", "[workers]") {
  const std::string part = "word0 word1 word2 word3 word4 word5 word6 word7 ";
  CHECK(reports_of("interrupt_stream") ==
        Lines{initialized("249cce0d-cc83-4e15-98f2-55504c3f967f"),
              "PartialOutput turn=01 text=" + part, said("01", part + "word8 "),
              "TurnResult turn=01 error=yes subtype=error_during_execution "
              "terminal_reason=aborted_streaming api_status=0 usage=0/0/0/0 agent_total=760000 "
              "model_calls=2 took_us=1537000 text=" +
                  kAborted,
              said("02", kFixed),
              finished("02", "usage=100/20/0/0 agent_total=1560000 model_calls=1 took_us=177000",
                       kFixed)});
}

TEST_CASE("an interrupted tool call ends with an error before its turn does", "[workers]") {
  const Lines all = reports_of("interrupt_tool");
  REQUIRE(all.size() == 7);
  CHECK(all[3].starts_with("ToolCallFinished turn=01 call=toolu_fecfe4809da147c88f7a error=yes "));
  CHECK(
      all[4].starts_with("TurnResult turn=01 error=yes subtype=error_during_execution "
                         "terminal_reason=aborted_tools api_status=0 usage=100/20/0/0 "
                         "agent_total=800000 model_calls=3 took_us=2732000 "));
  CHECK(all[5] == said("02", kFixed));
}

TEST_CASE("a turn interrupted while the model hangs has a result, and so has the next",
          "[workers]") {
  const Lines all = reports_of("hang_interrupt");
  REQUIRE(all.size() == 4);
  CHECK(all[1].starts_with("TurnResult turn=01 error=yes subtype=error_during_execution "));
  CHECK(all[3].starts_with("TurnResult turn=02 error=no subtype=success "));
}

TEST_CASE("a failure of the model's API is an error although its subtype says success",
          "[workers][R314]") {
  const std::string text = "Failed to authenticate. API Error: 401 fake error 401";
  const std::string head =
      "TurnResult turn=01 error=yes subtype=success terminal_reason=api_error ";
  CHECK(reports_of("err_401_retries2") ==
        Lines{initialized("ceb6085e-ef58-4321-974d-3dc471f365f6"), said("01", text),
              head +
                  "api_status=401 usage=0/0/0/0 agent_total=0 model_calls=1 took_us=2065000 "
                  "text=" +
                  text});
  CHECK(reports_of("err_401_default_retries").back().starts_with(head + "api_status=401 "));
  CHECK(reports_of("err_500_forever_retries2").back().starts_with(head + "api_status=500 "));
  CHECK(reports_of("err_connection_refused").back().starts_with(head + "api_status=0 "));
  CHECK(reports_of("stop_refusal").back().starts_with(head));
  CHECK(reports_of("stop_max_tokens").back().starts_with(head));
}

TEST_CASE("calls that are made again, limits and summaries are told as they come", "[workers]") {
  const Lines retries = notices_of("retry_429_after");
  REQUIRE(retries.size() == 4);
  CHECK(retries[0] ==
        "ModelCallRetried turn=da30e437 attempt=1 attempts_max=3 delay_us=3052000 api_status=429 "
        "error=rate_limit");
  CHECK(notices_of("retry_in_notification_turn") ==
        Lines{"ModelCallRetried turn=d3e2f9b1 attempt=1 attempts_max=1 delay_us=524000 "
              "api_status=500 error=server_error"});
  CHECK(notices_of("rate_limit_event") ==
        Lines{"RateLimitReported turn=ded7dc9f status=allowed_warning limit=five_hour "
              "resets_at=1999999999000000 blocks_until=0 overage=no",
              "RateLimitReported turn=07cfeddb status=rejected limit=five_hour "
              "resets_at=1999999999000000 blocks_until=0 overage=no"});
  CHECK(notices_of("compact_auto") ==
        Lines{"AgentStatusReported turn=30e4566a status=compacting permission_mode= error=",
              "ContextCompacted turn=30e4566a automatic=yes tokens_before=190104 "
              "tokens_after=2876 number=0"});
  const Lines modes = notices_of("controls");
  REQUIRE(!modes.empty());
  CHECK(modes.front() == "AgentStatusReported turn=00 status= permission_mode=plan error=");
}

TEST_CASE("reaching a limit is an error with the limit's name", "[workers][R315]") {
  CHECK(reports_of("max_turns")[7] ==
        "TurnResult turn=01 error=yes subtype=error_max_turns terminal_reason=max_turns "
        "api_status=0 usage=200/40/0/0 agent_total=1600000 model_calls=3 took_us=320000 "
        "text=Reached maximum number of turns (2)");
  CHECK(reports_of("max_budget")[2] ==
        "TurnResult turn=01 error=yes subtype=error_max_budget_usd "
        "terminal_reason=budget_exhausted api_status=0 usage=0/0/0/0 agent_total=28000000000 "
        "model_calls=1 took_us=134000 text=Reached maximum budget ($0.5)");
}

TEST_CASE("a resumed session keeps its id and its total, a forked one its total", "[workers]") {
  const std::string first = "40e61934-18f1-4b29-81b8-0f5a7328dc1f";
  CHECK(reports_of("resume_1_first").front() == initialized(first));
  CHECK(reports_of("resume_2_resumed") ==
        Lines{initialized(first), said("01", kFixed),
              finished("01", "usage=100/20/0/0 agent_total=1600000 model_calls=1 took_us=132000",
                       kFixed)});
  CHECK(reports_of("resume_3_forked") ==
        Lines{initialized("ecb80319-f8c8-46db-936f-2da1c58f664a"), said("01", kFixed),
              finished("01", "usage=100/20/0/0 agent_total=2400000 model_calls=1 took_us=165000",
                       kFixed)});
}

TEST_CASE("resuming an unknown session is an error without a beginning", "[workers]") {
  CHECK(reports_of("resume_5_unknown") ==
        Lines{"TurnResult turn=00 error=yes subtype=error_during_execution terminal_reason= "
              "api_status=0 usage=0/0/0/0 agent_total=0 model_calls=0 took_us=0 "
              "text=No conversation found with session ID: 29b0531d-c089-4d87-b7ec-4a53c50dc0b5"});
}

TEST_CASE("an agent that does not know the session to resume says so, and answers nothing",
          "[workers]") {
  const std::string unknown = "29b0531d-c089-4d87-b7ec-4a53c50dc0b5";
  const Lines lost{"AgentSessionLost text=No conversation found with session ID: " + unknown};
  engines::SessionLaunch session;
  session.spec.resume_agent_session = unknown;
  CHECK(shown(replayed(*driven_claude(engines::priced(), session), "resume_5_unknown")) == lost);
  session.spec.resume_agent_session.reset();
  session.resume_agent_session = unknown;
  CHECK(shown(replayed(*driven_claude(engines::priced(), session), "resume_5_unknown")) == lost);
}

TEST_CASE("what the agent says has its message's id, and a subagent's likewise", "[workers]") {
  for (const std::string name : {"agent_foreground", "tool_run"}) {
    std::set<std::string> ids;
    std::size_t count = 0;
    const auto note = [&](const std::string& message) {
      ++count;
      ids.insert(message);
      CHECK(base::TurnId::parse(message));
    };
    for (const engines::Report& report : replayed(*driven_claude(engines::priced(), {}), name)) {
      if (const auto* said = std::get_if<domain::ReportOutput>(&report)) note(said->message);
      if (const auto* call = std::get_if<domain::ReportToolCallStarted>(&report)) {
        note(call->message);
      }
    }
    CHECK(count > 1);
    CHECK(ids.size() == count);
  }
}

TEST_CASE("an agent that is killed leaves what it had said, and no result", "[workers]") {
  CHECK(reports_of("kill_SIGTERM_1").back() ==
        "ToolCallFinished turn=c360b5ee call=toolu_1216ca91212745b1acd4 error=yes "
        "output=Exit code 137");
  CHECK(reports_of("kill_midstream_1").back() ==
        "PartialOutput turn=1a33fb26 text=word0 word1 word2 word3 word4 word5 word6 ");
  CHECK(reports_of("kill_SIGKILL_1").back().starts_with("ToolCallStarted "));
}

TEST_CASE("clearing the conversation begins a new agent session and forgets no costs",
          "[workers]") {
  const Lines all = reports_of("slash");
  REQUIRE(all.size() == 9);
  CHECK(all[5] == initialized("b5aba77e-fe7f-4382-85b7-33a5026aa563"));
  CHECK(all[8] == finished("04",
                           "usage=100/20/0/0 agent_total=1600000 model_calls=1 took_us=128000",
                           kFixed));
}

TEST_CASE("a permission request is answered with a denial that names the call", "[workers]") {
  const auto engine = driven_claude(engines::priced(), {});
  const Lines all = shown(replayed(*engine, "perm_deny"));
  CHECK(all[3].starts_with("ToolCallStarted turn=01 call=toolu_c04868c460ed4a32a49f tool=Bash "));
  const std::string answer = engine->take_writes();
  CHECK(
      answer.starts_with("{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\","
                         "\"request_id\":\"45a8a892-84ab-40cf-acfd-d6416f3a8339\",\"response\":"
                         "{\"behavior\":\"deny\",\"message\":\"Denied: "));
  CHECK(answer.ends_with("\"toolUseID\":\"toolu_c04868c460ed4a32a49f\"}}}\n"));
  CHECK(engine->take_writes().empty());
  const std::string denied = "ToolCallFinished turn=01 call=toolu_c04868c460ed4a32a49f error=yes ";
  const auto finished = std::find_if(
      all.begin(), all.end(), [&](const std::string& line) { return line.starts_with(denied); });
  REQUIRE(finished != all.end());
  CHECK(finished->ends_with(" denied=yes"));
}

TEST_CASE("what the agent denies by itself is reported as denied", "[workers]") {
  const std::string denied = reports_of("perm_none")[3];
  CHECK(denied.starts_with(
      "ToolCallFinished turn=01 call=toolu_a0274a4b2dd34fff9a54 error=yes output=Permission "));
  CHECK(denied.ends_with(" denied=yes"));
}

TEST_CASE("no recorded line is beyond understanding", "[workers]") {
  // Refusals of a request, and requests that this host does not serve, are kept as whole lines.
  const std::set<std::string> with_strange_lines = {"controls", "hooks", "sdk_mcp"};
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(engines::recordings())) {
    if (file.path().extension() != ".jsonl") continue;
    ++files;
    const std::string name = file.path().stem();
    const Lines all = reports_of(name);
    const bool is_strange = std::any_of(all.begin(), all.end(), [](const std::string& line) {
      CHECK_FALSE(line.starts_with("AgentLine fault=not_json"));
      return line.starts_with("AgentLine ");
    });
    INFO(name);
    CHECK(is_strange == with_strange_lines.contains(name));
  }
  CHECK(files == 167);
}

}  // namespace
