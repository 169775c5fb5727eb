// What the agent tells beside its words: denied calls, warnings, broken servers, an answer that
// only its result has, and a prompt that was refused.
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/spec_check.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::turn;

std::vector<Fact> with_told_spec(std::vector<Fact> past, auto change) {
  change(past.front().event.get<SessionOpened>().spec.edit());
  return past;
}

ReportTurnResult told_answer(std::string text, std::int64_t model_calls = 1) {
  ReportTurnResult result;
  result.turn = turn(1);
  result.subtype = "success";
  result.terminal_reason = "completed";
  result.text = std::move(text);
  result.model_calls = model_calls;
  return result;
}

// Returns the first event of that kind in the decision, which must have one.
template <class E>
E first_told(const support::When& decided) {
  REQUIRE(decided.outcome());
  for (const Emitted& emitted : *decided.outcome()) {
    if (const auto* e = emitted.event.as<E>()) return *e;
  }
  FAIL("the decision has no such event");
  return {};
}

// Returns the end of the turn that the report's decision makes.
TurnFinished told_finish(const std::vector<Fact>& past, const ReportTurnResult& result) {
  return first_told<TurnFinished>(given(past).when(support::report(3, result)));
}

// ---- answers ----

TEST_CASE("the text of a result is the answer where no output of the turn says it", "[session]") {
  ReportTurnResult refused = told_answer("Closed for lunch.", 0);
  CHECK_FALSE(told_finish(support::running(), refused).is_answer);
  refused.is_unsaid = true;
  CHECK(told_finish(support::running(), refused).is_answer);
}

TEST_CASE("a turn without an answer is known as such", "[session]") {
  ReportTurnResult empty = told_answer("");
  empty.is_unsaid = true;
  CHECK(told_finish(support::running(), empty).is_answer);
  // A command that the agent carries out by itself owes none, nor does a turn of its own.
  empty.model_calls = 0;
  CHECK_FALSE(told_finish(support::running(), empty).is_answer);
  empty.model_calls = 1;
  empty.turn = turn(9);
  const auto own = support::running() +
                   fact(OwnTurnStarted{turn(9), OwnTurnCause::unknown, {}, {}}).by_report(1, 3);
  CHECK_FALSE(first_told<TurnFinished>(given(own).when(support::report(4, empty))).is_answer);
}

TEST_CASE("the agent's word for the end of a turn is on the record", "[session]") {
  ReportTurnResult stopped = told_answer("");
  stopped.terminal_reason = "hook_stopped";
  CHECK(told_finish(support::running(), stopped).terminal_reason == "hook_stopped");
}

// ---- denials ----

std::vector<Fact> denied_twice() {
  return support::running(false) +
         fact(ToolCallFinished{turn(1), "one", true, true, "", "Write"}).by_report(1, 3) +
         fact(ToolCallDenied{turn(1), "two", "Bash"}).by_report(1, 4);
}

TEST_CASE("denied calls are counted with their tools", "[session]") {
  const SessionState s = given(denied_twice()).session();
  CHECK(*s.denied == Denials{2, {"Write", "Bash"}});
  CHECK(*s.turn_denied == Denials{2, {"Write", "Bash"}});
}

TEST_CASE("denied calls of an earlier release leave the state as it was", "[session]") {
  const auto old = support::running() + ToolCallFinished{turn(1), "one", true, true};
  CHECK(given(old).session() == given(support::running()).session());
}

TEST_CASE("each tool is named once, and only the first ones", "[session]") {
  auto past = denied_twice();
  for (int i = 0; i < 20; ++i) {
    past = past + ToolCallDenied{turn(1), "more", "Tool" + std::to_string(i / 2)};
  }
  const SessionState s = given(past).session();
  CHECK(s.denied->calls == 22);
  CHECK(s.denied->tools.size() == kDeniedToolsMax);
}

TEST_CASE("a completed session with denied calls needs a person", "[session]") {
  const auto ended = denied_twice() + TurnFinished{turn(1), {}} +
                     SessionClosed{SessionStatus::completed, EndReason::none};
  CHECK(attention_of(given(ended).session()) == Attention::denied);
  SessionState erased = given(ended).session();
  erased.last_content = StreamVersion{1};
  erased.erased.edit() = {{StreamVersion{1}, StreamVersion{1}}};
  CHECK(attention_of(erased) == Attention::none);
}

// ---- warnings ----

const ReportAgentNoted kUnanswered{turn(1), "warning", std::string(kHookNoVerdict), "call",
                                   "A hook did not answer."};
const AgentNoted kNoted{turn(1), "warning", std::string(kHookNoVerdict), "call"};

TEST_CASE("what the agent tells its host is recorded", "[session]") {
  given(support::running())
      .when(support::report(3, kUnanswered))
      .then(fact(kNoted).with(kUnanswered.text));
  CHECK(is_warning(kNoted));
  CHECK(is_warning(AgentNoted{turn(1), "notice", std::string(kHookNoVerdict), ""}));
  CHECK(is_warning(AgentNoted{turn(1), "error", "", ""}));
  CHECK_FALSE(is_warning(AgentNoted{turn(1), "notice", "", ""}));
  CHECK_FALSE(is_warning(AgentNoted{turn(1), "", "", ""}));
}

TEST_CASE("a turn whose hook gave no verdict is interrupted where hooks must answer", "[session]") {
  const auto strict =
      with_told_spec(support::running(), [](SessionSpec& spec) { spec.hooks_must_answer = true; });
  given(strict)
      .when(support::report(3, kUnanswered))
      .then(fact(kNoted).with(kUnanswered.text),
            InterruptRequested{turn(1), EndReason::hook_unanswered});
  ReportAgentNoted other = kUnanswered;
  other.tag = "hook_callback_failed";
  given(strict)
      .when(support::report(3, other))
      .then(fact(AgentNoted{turn(1), "warning", "hook_callback_failed", "call"}).with(other.text));
}

// ---- MCP servers ----

TEST_CASE("servers that are not connected fail a session only where they must be", "[session]") {
  const McpServersReported broken{{"docs: failed"}};
  given(support::running()).when(support::report(3, broken)).then(broken);
  const auto strict =
      with_told_spec(support::running(), [](SessionSpec& spec) { spec.mcp_must_connect = true; });
  const auto closed = first_told<SessionClosed>(given(strict).when(support::report(3, broken)));
  CHECK(closed == SessionClosed{SessionStatus::failed, EndReason::start_failed});
  given(strict).when(support::report(3, McpServersReported{})).then(McpServersReported{});
  // One that has worked goes on with what it has.
  const auto working = strict + fact(OutputRecorded{turn(1), 1, {}}).by_report(1, 3);
  given(working).when(support::report(4, broken)).then(broken);
}

// ---- interrupts ----

TEST_CASE("an interrupt without a turn means the one that runs, or that comes next", "[session]") {
  given(support::running()).when(InterruptTurn{}).then(InterruptRequested{turn(1)});
  given(support::starting())
      .when(InterruptTurn{})
      .then(TurnInterrupted{turn(1), EndReason::user, {}}, support::parked());
  given(support::idle()).when(InterruptTurn{}).then_rejected(RejectionCode::turn_not_running);
}

TEST_CASE("a command that was interrupted is an interrupted turn", "[session]") {
  const auto asked = support::running() + InterruptRequested{turn(1)};
  ReportTurnResult compaction;
  compaction.turn = turn(1);
  compaction.subtype = "success";
  const auto ended = first_told<TurnInterrupted>(given(asked).when(support::report(3, compaction)));
  CHECK(ended.reason == EndReason::user);
  // An answer that came before the interrupt is one.
  CHECK(told_finish(asked, told_answer("Yes.")).terminal_reason == "completed");
}

// ---- the budget of a day ----

TEST_CASE("a session whose turn the day's budget interrupted waits for the next day", "[session]") {
  const auto stopped = support::running() + InterruptRequested{turn(1), EndReason::daily_budget};
  ReportTurnResult result;
  result.turn = turn(1);
  result.is_error = true;
  const auto cut = first_told<TurnInterrupted>(given(stopped).when(support::report(3, result)));
  CHECK(cut.reason == EndReason::daily_budget);
  REQUIRE(cut.day_over.us != 0);
  const SessionState s = given(stopped + cut).session();
  CHECK(attention_of(s) == Attention::over_budget);
  CHECK(next_deadline(lease_state(s)) == Deadline{DeadlineKind::day, cut.day_over});
  const SessionState next = given(stopped + cut + QueueContinued{}).session();
  CHECK(attention_of(next) == Attention::waiting_for_input);
}

// ---- settings ----

TEST_CASE("sources of settings are known words", "[session]") {
  for (const char* good : {"", "none", "user", "user,project,local"}) {
    CHECK(is_setting_sources(good));
  }
  for (const char* bad : {"all", "user,", ",", "users", "none,user"}) {
    CHECK_FALSE(is_setting_sources(bad));
  }
}

}  // namespace
}  // namespace domain
