// A session has limits of its tokens, its tool calls and its bytes of output. At a limit its turn
// is interrupted. Then the session fails, because it can do no more.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::kSource;
using support::kToken;
using support::report;
using support::turn;

// A session with one limit.
std::vector<Fact> with_limit(std::int64_t UseLimits::*limit, std::int64_t value,
                             std::vector<Fact> past = support::running()) {
  past.front().event.get<SessionOpened>().spec.edit().use_limits.edit().*limit = value;
  return past;
}

ReportToolCallStarted one_call() {
  ReportToolCallStarted r;
  r.turn = turn(1);
  r.call = "c";
  r.tool = "Bash";
  return r;
}
ToolCallStarted one_called() {
  return {turn(1), "c", "Bash", "", "", 0};
}

InterruptRequested stopped_at(EndReason limit) {
  return {turn(1), limit};
}

ReportTurnResult ended_in_error() {
  ReportTurnResult r;
  r.turn = turn(1);
  r.is_error = true;
  r.basis = CostBasis::reported;
  return r;
}

TEST_CASE("a turn is interrupted when its session has used its tokens", "[session]") {
  const auto past = with_limit(&UseLimits::max_tokens, 10);
  const Spending nine{{"m", {2, 3, 4, 0}, {}}};
  const Spending one{{"m", {0, 0, 0, 1}, {}}};
  const SpendingRecorded recorded{turn(1), nine, CostBasis::reported};
  const auto after = given(past)
                         .when(report(3, ReportSpending{turn(1), nine}))
                         .then(recorded)
                         .when(report(4, ReportSpending{turn(1), one}))
                         .then(SpendingRecorded{turn(1), one, CostBasis::reported},
                               stopped_at(EndReason::max_tokens));
  const auto ended = after.when(report(5, ended_in_error())).outcome();
  REQUIRE(ended);
  CHECK((*ended)[0].event.get<TurnInterrupted>().reason == EndReason::max_tokens);
  CHECK((*ended)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::max_tokens});
}

TEST_CASE("a turn is interrupted at one tool call more than its session may make", "[session]") {
  const auto past = with_limit(&UseLimits::max_tool_calls, 2);
  const auto two = given(past)
                       .when(report(3, one_call()))
                       .then(one_called())
                       .when(report(4, one_call()))
                       .then(one_called());
  CHECK(used_up(two.session()) == EndReason::none);
  const auto three =
      two.when(report(5, one_call())).then(one_called(), stopped_at(EndReason::max_tool_calls));
  CHECK(used_up(three.session()) == EndReason::max_tool_calls);
  three.when(report(6, one_call())).then(one_called());
}

TEST_CASE("a turn is interrupted when its session has said what it may", "[session]") {
  ReportOutput said;
  said.turn = turn(1);
  said.text = "four";
  ReportToolCallFinished answered;
  answered.turn = turn(1);
  answered.call = "c";
  answered.output = "six ch";
  const OutputRecorded recorded{turn(1), 1, OutputKind::text, "", ""};
  const ToolCallFinished finished{turn(1), "c", false, false, ""};
  const auto after =
      given(with_limit(&UseLimits::max_output_bytes, 10))
          .when(report(3, said))
          .then(fact(recorded).with("four"))
          .when(report(4, answered))
          .then(fact(finished).with("six ch"), stopped_at(EndReason::max_output_bytes));
  CHECK(after.session().output_bytes == 10);
}

TEST_CASE("a turn of the agent's own is interrupted at a limit, too", "[session]") {
  const auto past = with_limit(&UseLimits::max_tool_calls, 1) +
                    fact(TurnFinished{turn(1), {}}).by_report(1, 3) +
                    fact(OwnTurnStarted{turn(9), OwnTurnCause::task, "", {}}).by_report(1, 4) +
                    fact(one_called()).by_report(1, 5);
  ReportToolCallStarted own = one_call();
  own.turn = turn(9);
  ToolCallStarted recorded = one_called();
  recorded.turn = turn(9);
  given(past)
      .when(report(6, own))
      .then(recorded, InterruptRequested{turn(9), EndReason::max_tool_calls});
}

TEST_CASE("a session whose agent's own turn has reached a limit fails with it", "[session]") {
  const InterruptRequested own{turn(9), EndReason::max_tool_calls};
  const auto past = with_limit(&UseLimits::max_tool_calls, 1) +
                    fact(TurnFinished{turn(1), {}}).by_report(1, 3) +
                    fact(OwnTurnStarted{turn(9), OwnTurnCause::task, "", {}}).by_report(1, 4) +
                    fact(own).by_report(1, 5);
  ReportTurnResult ended = ended_in_error();
  ended.turn = turn(9);
  ReportAgentExited exited;
  exited.has_run = true;
  for (const LeaseReport& last : {report(6, ended), report(6, exited)}) {
    const auto decided = given(past).when(last).outcome();
    REQUIRE(decided);
    const bool is_closed = std::any_of(decided->begin(), decided->end(), [](const Emitted& one) {
      const auto* closed = one.event.as<SessionClosed>();
      return closed != nullptr && closed->status == SessionStatus::failed &&
             closed->reason == EndReason::max_tool_calls;
    });
    CHECK(is_closed);
  }
}

TEST_CASE("a session that has used up what it may takes no prompt", "[session]") {
  TurnCost cost;
  cost.usage = {10, 0, 0, 0};
  const auto past =
      with_limit(&UseLimits::max_tokens, 10) + fact(TurnFinished{turn(1), cost}).by_report(1, 3);
  const auto refused = given(past).when(SendPrompt{"More"}).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::over_budget);
  CHECK(refused.error().text.find("max_tokens") != std::string::npos);
  CHECK(attention_of(given(past).session()) == Attention::over_budget);
}

TEST_CASE("prompts that wait end with a session that has used up what it may", "[session]") {
  const auto past =
      with_limit(&UseLimits::max_tokens, 10, support::running() + TurnQueued{turn(2)});
  ReportTurnResult answer;
  answer.turn = turn(1);
  answer.basis = CostBasis::reported;
  answer.spent = {{"m", {10, 0, 0, 0}, {}}};
  const auto ended = given(past).when(report(3, answer)).outcome();
  REQUIRE(ended);
  CHECK((*ended)[0].event.is<TurnFinished>());
  CHECK((*ended)[1].event.get<TurnInterrupted>().reason == EndReason::session_ended);
  CHECK((*ended)[2].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::max_tokens});
}

TEST_CASE("an agent that goes on behind a limit is ended with its session", "[session]") {
  auto world = given(with_limit(&UseLimits::max_tool_calls, 1) +
                     fact(one_called()).by_report(1, 3) + stopped_at(EndReason::max_tool_calls));
  world.context.now = Time{} + kInterruptGrace;
  const auto decided = world.when(PassDeadline{DeadlineKind::run}).outcome();
  REQUIRE(decided);
  CHECK((*decided)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::max_tool_calls});
}

TEST_CASE("what is not limited is not counted", "[session]") {
  const auto after = given(support::running()).when(report(3, one_call())).then(one_called());
  CHECK(after.session().tool_calls == 0);
}

TEST_CASE("a resumed session keeps what it may use, and counts anew", "[session]") {
  std::vector<Fact> past = with_limit(&UseLimits::max_tool_calls, 7, support::killed());
  auto& source = *past.front().event.as<SessionOpened>();
  source.session = source.lineage = kSource;
  source.spec.edit().use_limits.edit().max_tokens = 8;
  source.spec.edit().use_limits.edit().max_output_bytes = 9;
  for (Fact& each : past) {
    if (each.stream.empty()) each = std::move(each).on(support::kSourceStream);
  }
  past.push_back(fact(LeaseReleased{kToken}).on(support::kSourceStream));
  Spawn resumes;
  resumes.spec = support::sample_spec(true);
  resumes.spec.use_limits.edit().max_tokens = 80;
  resumes.spec.use_limits.edit().max_output_bytes = -1;
  resumes.prompt = "Go on";
  resumes.resume = kSource;
  const auto decided = given(past).when(resumes).outcome();
  REQUIRE(decided);
  for (const Emitted& emitted : *decided) {
    const auto* opened = emitted.event.as<SessionOpened>();
    if (opened == nullptr) continue;
    CHECK(opened->spec->use_limits->max_tool_calls == 7);
    CHECK(opened->spec->use_limits->max_tokens == 80);
    CHECK(opened->spec->use_limits->max_output_bytes == -1);
  }
}

ReportTurnResult ended_well() {
  ReportTurnResult r;
  r.turn = turn(1);
  r.basis = CostBasis::reported;
  r.spent = {{"m", {0, 10, 0, 0}, {}}};
  return r;
}

TEST_CASE("a single turn that ends well beyond a limit has failed by it", "[session][R023]") {
  const std::vector<Fact> single = support::running(false);
  const auto ends_by = [](const std::vector<Fact>& past, EndReason limit) {
    const auto ended = given(past).when(report(4, ended_well())).outcome();
    REQUIRE(ended);
    CHECK((*ended)[0].event.get<TurnInterrupted>().reason == limit);
    CHECK((*ended)[0].event.get<TurnInterrupted>().cost.usage.output_tokens == 10);
    CHECK((*ended)[1].event.get<SessionClosed>() == SessionClosed{SessionStatus::failed, limit});
  };
  const auto said = fact(OutputRecorded{turn(1), 1}).with("0123456789").by_report(1, 3);
  ends_by(with_limit(&UseLimits::max_output_bytes, 10, single) + said, EndReason::max_output_bytes);
  ends_by(with_limit(&UseLimits::max_tool_calls, 1, single) + fact(one_called()).by_report(1, 2) +
              fact(one_called()).by_report(1, 3),
          EndReason::max_tool_calls);
  // The result itself tells the last tokens.
  const auto used = fact(SpendingRecorded{turn(1), {{"m", {90, 0, 0, 0}, {}}}}).by_report(1, 3);
  ends_by(with_limit(&UseLimits::max_tokens, 100, single) + used, EndReason::max_tokens);
  // Below all limits it is completed.
  const auto below = given(with_limit(&UseLimits::max_tokens, 101, single) + used)
                         .when(report(4, ended_well()))
                         .outcome();
  REQUIRE(below);
  CHECK((*below)[1].event.get<SessionClosed>().status == SessionStatus::completed);
}

}  // namespace
}  // namespace domain
