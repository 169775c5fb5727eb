// Whose each result of a recording is: a prompt's, or a turn's that the agent began by itself.
#include <algorithm>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/driven_claude.hpp"
#include "tests/workers/engines/claude/recording.hpp"
#include "workers/engines/claude/claude_engine.hpp"

namespace {

using base::TurnId;
using domain::OwnTurnCause;
using domain::ReportOutput;
using domain::ReportOwnTurnStarted;
using domain::ReportTurnResult;
using engines::driven_claude;
using engines::replayed;
using engines::Report;

std::vector<Report> reports_in(const std::string& name) {
  const auto engine = driven_claude(engines::priced(), {});
  return replayed(*engine, name);
}

// Returns the beginning of the prompt's id for each of its results, or "own:" and the cause.
std::string results_of(const std::vector<Report>& reports) {
  std::map<TurnId, OwnTurnCause> own;
  std::string all;
  for (const Report& report : reports) {
    if (const auto* began = std::get_if<ReportOwnTurnStarted>(&report)) {
      CHECK(own.emplace(began->turn, began->cause).second);
    }
    const auto* result = std::get_if<ReportTurnResult>(&report);
    if (result == nullptr) continue;
    const auto found = own.find(result->turn);
    all += all.empty() ? "" : " ";
    all += found == own.end() ? result->turn.text().substr(0, 4)
                              : "own:" + std::string(base::enum_name(found->second));
  }
  return all;
}

// The expected turns were made from the recordings by a second program with the same rules.
struct Played {
  const char* recording;
  const char* results;
};
constexpr Played kNamed[] = {
    {"agent_bg_api_error", "476b own:task"},
    {"agent_bg_eof", "4d7b own:task"},
    {"agent_bg_eof_ceiling", "59df"},
    {"agent_bg_eof_sigterm", "e665"},
    {"agent_bg_forward_text", "ac2f own:task"},
    {"agent_bg_interrupt", "d298 5e30"},
    {"agent_bg_long", "e2e1 ee30 own:task"},
    {"agent_bg_main_interrupt", "3ff5 own:task"},
    {"agent_bg_no_partial", "83cb own:task"},
    {"agent_bg_short", "3ed8 own:task"},
    {"agent_bg_sigkill_1", "b5d3"},
    {"agent_bg_sigkill_2_resumed", "3f8d"},
    {"agent_bg_stop_task", "62b8 own:task"},
    {"agent_disabled_bg", "5c89"},
    {"agent_fg_forward_text", "e571"},
    {"agent_fg_interrupt", "befa 16d2"},
    {"agent_foreground", "78b2"},
    {"agent_nested", "e0ee own:task"},
    {"agent_two_bg", "9f14 own:task own:task"},
    {"agent_two_same_time", "1668 own:task"},
    {"auth_401", "b345"},
    {"bg_bash_disabled", "201d"},
    {"bg_bash_end_session", "271e"},
    {"bg_bash_eof", "89f4 own:task"},
    {"bg_bash_eof_before_result", "dfc6 own:task"},
    {"bg_bash_eof_ceiling", "69da own:task"},
    {"bg_bash_fails", "179a own:task"},
    {"bg_bash_idle", "e9da own:task 3164"},
    {"bg_bash_interrupt_idle", "9229 own:task"},
    {"bg_bash_prompt_in_tool", "b9a5 24c0"},
    {"bg_bash_prompt_race", "1ab5 own:task 87c0"},
    {"bg_bash_prompt_streaming", "0f45 0a21 own:task"},
    {"bg_bash_sigterm_1", "0eb1"},
    {"bg_bash_sigterm_2_resumed", "02f2"},
    {"bg_bash_stop_task_control", "e477"},
    {"bg_bash_taskstop", "66e4"},
    {"bg_bash_timeout", "c57c own:task"},
    {"bg_bash_two", "6b19 own:task own:task"},
    {"bg_moved_by_control", "d22b own:task"},
    {"budget_agent_bg_1", "e7c3"},
    {"budget_agent_bg_2_resumed", "cb26"},
    {"budget_model_usage_1", "6b86 a5a7"},
    {"budget_model_usage_2_resumed", "09d6"},
    {"compact_auto", "b872 84a8 4ef1 30e4"},
    {"compact_cost", "c172 6cd1 13e8"},
    {"cron_once", "d4de own:wake_up"},
    {"interrupt_queued", "a602 3178 08dc eb2e"},
    {"interrupt_usage", "0713 9761 aeb8"},
    {"max_turns_usage", "3608 77b0"},
    {"multi_turn", "60a3 fb83"},
    {"permission_denials", "6ca9 7932"},
    {"prompt_in_notification_tool", "8057 own:task cb7b"},
    {"prompt_in_notification_turn", "9fac own:task c83a"},
    {"prompt_later_in_notification_tool", "ba1b own:task 8470"},
    {"prompt_too_long", "ec1b 337b"},
    {"prompts_folded_in_tool", "0981"},
    {"prompts_priority", "2770 4fb0 ca4b 5908"},
    {"prompts_queued_streaming", "5b49 9654"},
    {"queued", "7006 2aa2"},
    {"queued_cancel", "9429 eed5"},
    {"queued_in_tool", "e7de"},
    {"rate_limit_event", "ded7 07cf"},
    {"resume_cost_1", "5ccf"},
    {"resume_cost_2_resumed", "9020"},
    {"resume_cost_3_resumed_again", "5e71"},
    {"resume_cost_4_forked", "94bc"},
    {"resume_cost_5_fork_resumed", "c128"},
    {"resume_cost_6_source_resumed", "d651"},
    {"resume_cost_7_no_turn", ""},
    {"resume_cost_8_killed_fast", "5542"},
    {"resume_cost_9_after_kill", "ccb0"},
    {"retry_429_after", "da30 7e54"},
    {"retry_500", "6333 c836"},
    {"retry_529", "ffc2 8e95"},
    {"retry_in_notification_turn", "43dc own:task"},
    {"set_model_cost", "398f 4b54 6566"},
    {"sigkill_cost_1", "f338"},
    {"sigkill_cost_2_resumed", "8089 21f9"},
    {"sigkill_cost_3_resumed_after_exit", "0f66"},
    {"sigkill_midturn_subagent", ""},
    {"sigterm_cost_1", "dbe6"},
    {"sigterm_cost_2_resumed", "5e31"},
    {"state_sdk_host_only", "44a2 own:task"},
    {"wakeup", "413e own:wake_up"},
    {"wakeup_disabled_bg", "5169"},
    {"wakeup_eof_1", "c658"},
    {"wakeup_eof_2_resumed", ""},
    {"wakeup_interrupt", "87c7 own:wake_up"},
};

// Of several prompts that one result answers, it is given to the last.
TEST_CASE("each result is given to a prompt that it names, or to the agent itself", "[workers]") {
  for (const Played& played : kNamed) {
    INFO(played.recording);
    CHECK(results_of(reports_in(played.recording)) == played.results);
  }
}

TEST_CASE("results of an agent that names no prompts go to the oldest one", "[workers]") {
  CHECK(results_of(reports_in("tool_run")) == "0000 0000 0000");
  CHECK(results_of(reports_in("../claude-2.1.112/agent_default")) == "d12a");
  CHECK(results_of(reports_in("../claude-2.1.112/agent_bg_asked")) == "6b30");
}

// Returns what the agent said, each text behind its turn's beginning.
std::string said_in(const std::vector<Report>& reports) {
  std::string all;
  for (const Report& report : reports) {
    const auto* output = std::get_if<ReportOutput>(&report);
    if (output == nullptr || output->kind != domain::OutputKind::text) continue;
    all += output->turn.text().substr(0, 4) + ": " + output->text + "\n";
  }
  return all;
}

TEST_CASE("what the agent says by itself is said in a turn of its own", "[workers]") {
  const auto reports = reports_in("bg_bash_idle");
  CHECK(said_in(reports) ==
        "e9da: I start it.\n"
        "e9da: It runs.\n"
        "69c4: It has ended.\n"
        "3164: Second answer.\n");
}

TEST_CASE("an own turn says which turn had started the task that ended", "[workers]") {
  for (const Report& report : reports_in("bg_bash_idle")) {
    const auto* own = std::get_if<ReportOwnTurnStarted>(&report);
    if (own == nullptr) continue;
    CHECK(own->cause == OwnTurnCause::task);
    CHECK(own->task == "bc8t0s26l");
    CHECK(own->of.text().starts_with("e9da70bc"));
  }
}

TEST_CASE("a subagent speaks for the turn that started it, also while another runs", "[workers]") {
  CHECK(said_in(reports_in("agent_bg_long")) ==
        "e2e1: I delegate.\n"
        "e2e1: It is on its way.\n"
        "e2e1: inner text\n"
        "ee30: Answer meanwhile.\n"
        "e2e1: inner more\n"
        "e2e1: inner end\n"
        "6ca5: The helper is ready (2).\n");
}

TEST_CASE("an empty run of the agent's own is not reported", "[workers]") {
  const auto reports = reports_in("agent_bg_sigkill_2_resumed");
  CHECK(std::none_of(reports.begin(), reports.end(), [](const Report& report) {
    return std::holds_alternative<ReportOwnTurnStarted>(report);
  }));
}

// The run began without a prompt, and its result answers the prompt that has joined it.
TEST_CASE("an own turn that a prompt joins ends there, and the answer is the prompt's",
          "[workers]") {
  const auto reports = reports_in("prompt_in_notification_tool");
  std::vector<std::string> turns;
  for (const Report& report : reports) {
    if (std::holds_alternative<ReportOwnTurnStarted>(report)) turns.push_back("own");
    const auto* result = std::get_if<ReportTurnResult>(&report);
    if (result != nullptr) turns.push_back(result->subtype);
  }
  CHECK(turns == std::vector<std::string>{"success", "own", "joined", "success"});
}

// ---- frames that no recording has ----

const std::string kPrompt = "00000000-0000-0000-0000-000000000001";
const std::string kRun = "11111111-0000-0000-0000-000000000001";
const std::string kForeign = "22222222-0000-0000-0000-000000000001";
const std::string kSays =
    R"({"type":"assistant","message":{"content":[{"type":"text","text":"by the way"}]}})";

std::string lifecycle(const std::string& prompt, const std::string& state) {
  return R"({"type":"command_lifecycle","command_uuid":")" + prompt + R"(","state":")" + state +
         "\"}";
}
std::string init(const std::string& run, const std::string& prompts = "") {
  return R"({"type":"system","subtype":"init","uuid":")" + run + R"(","user_message_uuids":[)" +
         prompts + "]}";
}
std::string result(const std::string& prompts = "") {
  return R"({"type":"result","subtype":"success","num_turns":1,"user_message_uuids":[)" + prompts +
         "]}";
}
std::string quoted(const std::string& text) {
  return std::string("\"").append(text).append("\"");
}

// Returns the turns of the reports of these lines, "TYPE BEGINNING" each, of those that have one.
std::vector<std::string> turns_of(const std::vector<std::string>& lines) {
  const auto engine = driven_claude(engines::priced(), {});
  engine->begin_turn(*TurnId::parse(kPrompt), "go");
  std::vector<std::string> turns;
  for (const std::string& line : lines) {
    for (const Report& report : engine->on_line(line, {})) {
      std::visit(
          [&](const auto& each) {
            if constexpr (requires { each.turn; }) {
              turns.push_back(std::string(each.kType) + " " + each.turn.text().substr(0, 4));
            }
          },
          report);
    }
  }
  return turns;
}

using Turns = std::vector<std::string>;

TEST_CASE("an own turn whose result names an unknown prompt ends with it", "[workers]") {
  CHECK(turns_of({lifecycle(kPrompt, "queued"), init(kRun), kSays, result(quoted(kForeign))}) ==
        Turns{"OwnTurnStarted 1111", "Output 1111", "TurnResult 1111"});
}

TEST_CASE("an own turn whose result answers a prompt ends with it", "[workers]") {
  CHECK(turns_of({lifecycle(kPrompt, "queued"), init(kRun), kSays, result(quoted(kPrompt))}) ==
        Turns{"OwnTurnStarted 1111", "Output 1111", "TurnResult 1111", "TurnResult 0000"});
}

TEST_CASE("a call without an id claims nothing that is said later", "[workers]") {
  const std::string nameless = R"({"type":"assistant","message":{"content":)"
                               R"([{"type":"tool_use","name":"Bash","input":{}}]}})";
  CHECK(turns_of({lifecycle(kPrompt, "started"), init(kRun, quoted(kPrompt)), nameless,
                  result(quoted(kPrompt)), init(kForeign), kSays}) ==
        Turns{"ToolCallStarted 0000", "TurnResult 0000", "OwnTurnStarted 2222", "Output 2222"});
}

TEST_CASE("an own turn that gets no result ends when the agent begins anew", "[workers]") {
  CHECK(turns_of({lifecycle(kPrompt, "queued"), init(kRun), kSays, init(kForeign, quoted(kPrompt)),
                  kSays, result(quoted(kPrompt))}) == Turns{"OwnTurnStarted 1111", "Output 1111",
                                                            "TurnResult 1111", "Output 0000",
                                                            "TurnResult 0000"});
}

TEST_CASE("a result that comes twice is given to the same prompt", "[workers]") {
  const auto turns = turns_of(
      {init(kRun, quoted(kPrompt)), kSays, result(quoted(kPrompt)), result(quoted(kPrompt))});
  CHECK(turns == Turns{"Output 0000", "TurnResult 0000", "TurnResult 0000"});
}

TEST_CASE("a prompt that was begun and then cancelled waits for its result", "[workers]") {
  CHECK(turns_of({lifecycle(kPrompt, "started"), init(kRun, quoted(kPrompt)),
                  lifecycle(kPrompt, "cancelled")})
            .empty());
  CHECK(turns_of({lifecycle(kPrompt, "queued"), lifecycle(kPrompt, "cancelled")}) ==
        Turns{"TurnResult 0000"});
}

}  // namespace
