// The result of a turn: the session goes idle, starts the next turn or ends, and the turn's cost is
// the growth of the agent's running total.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kToken;
using support::name_released;
using support::report;
using support::turn;

ReportTurnResult success() {
  ReportTurnResult r;
  r.turn = turn(1);
  r.subtype = "success";
  r.usage = {10, 20, 30, 40};
  r.agent_total = {500};
  r.model_calls = 3;
  r.took = base::Duration{1234};
  r.text = "done";
  return r;
}

ReportTurnResult error(std::string subtype) {
  ReportTurnResult r = success();
  r.is_error = true;
  r.subtype = std::move(subtype);
  r.terminal_reason = "api_error";
  r.api_status = 529;
  r.text = "overloaded";
  return r;
}

const TurnCost kCost{{10, 20, 30, 40}, {500}, {500}, 3, base::Duration{1234}};

TEST_CASE("a finished turn of a multi-turn session leaves it idle", "[session][R020][R021]") {
  const auto after = given(support::running())
                         .when(report(3, success()))
                         .then(fact(TurnFinished{turn(1), kCost}).with("done"));
  CHECK(after.session().status == SessionStatus::running);
  CHECK_FALSE(after.session().turn);
  CHECK(after.session().cost.value == 500);
  CHECK(after.session().usage == Usage{10, 20, 30, 40});
}

TEST_CASE("a finished turn starts the next one", "[session][R055][R305]") {
  given(support::running(), TurnQueued{turn(2)}, TurnQueued{turn(3)})
      .when(report(3, success()))
      .then(fact(TurnFinished{turn(1), kCost}).with("done"), TurnStarted{turn(2), kToken});
}

TEST_CASE("a single-turn session is completed with its turn", "[session][R009][R022]") {
  given(support::running(false))
      .when(report(3, success()))
      .then(fact(TurnFinished{turn(1), kCost}).with("done"),
            SessionClosed{SessionStatus::completed, EndReason::none}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("a failed turn fails a single-turn session", "[session][R010][R022][R316]") {
  const TurnFailed failed{turn(1), "error_during_execution", "api_error", 529, kCost};
  given(support::running(false))
      .when(report(3, error("error_during_execution")))
      .then(fact(failed).with("overloaded"),
            SessionClosed{SessionStatus::failed, EndReason::turn_error}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("a spent budget is named as the reason", "[session][R004][R023]") {
  const TurnFailed failed{turn(1), "error_max_budget_usd", "api_error", 529, kCost};
  given(support::running())
      .when(report(3, error("error_max_budget_usd")))
      .then(fact(failed).with("overloaded"),
            SessionClosed{SessionStatus::failed, EndReason::budget}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("an error after an interrupt request is the interrupted turn", "[session]") {
  const TurnInterrupted interrupted{turn(1), EndReason::user, kCost};
  const auto after = given(support::running(), InterruptRequested{turn(1)}, TurnQueued{turn(2)})
                         .when(report(3, error("error_during_execution")))
                         .then(interrupted, TurnStarted{turn(2), kToken});
  CHECK_FALSE(after.session().turn->is_interrupt_requested);
  given(support::running(false), InterruptRequested{turn(1)})
      .when(report(3, error("error_during_execution")))
      .then(interrupted, SessionClosed{SessionStatus::killed, EndReason::user}, name_released(),
            support::place_released_with_lease());
  given(support::running(), InterruptRequested{turn(1)}, CloseRequested{})
      .when(report(3, error("error_during_execution")))
      .then(interrupted, SessionClosed{SessionStatus::completed, EndReason::none}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("a turn that finished before its interrupt arrived is finished", "[session]") {
  given(support::running(), InterruptRequested{turn(1)})
      .when(report(3, success()))
      .then(fact(TurnFinished{turn(1), kCost}).with("done"));
}

TEST_CASE("the result of a turn that is over is recorded as ignored", "[session]") {
  const auto ignored = ReportIgnored{"TurnResult"};
  given(support::killed()).when(report(3, success())).then(ignored);
  given(support::idle()).when(report(4, success())).then(ignored);
  ReportTurnResult other = success();
  other.turn = turn(7);
  given(support::running()).when(report(3, other)).then(ignored);
}

TEST_CASE("a turn costs what the agent's running total grew by, never less than nothing",
          "[session]") {
  ReportTurnResult second = success();
  second.turn = turn(2);
  second.agent_total = {800};
  TurnCost cost = kCost;
  cost.cost = {300};
  cost.agent_total = {800};
  const auto after =
      given(support::running(), TurnQueued{turn(2)})
          .when(report(3, success()))
          .then(fact(TurnFinished{turn(1), kCost}).with("done"), TurnStarted{turn(2), kToken})
          .when(report(4, second))
          .then(fact(TurnFinished{turn(2), cost}).with("done"));
  CHECK(after.session().cost.value == 800);
  CHECK(after.session().agent_total.value == 800);

  ReportTurnResult shrunk = success();
  shrunk.agent_total = {100};
  const auto cheaper =
      given(support::running(), TurnQueued{turn(2)})
          .when(report(3, success()))
          .then(fact(TurnFinished{turn(1), kCost}).with("done"), TurnStarted{turn(2), kToken});
  shrunk.turn = turn(2);
  cost.cost = {0};
  cost.agent_total = {100};
  cheaper.when(report(4, shrunk)).then(fact(TurnFinished{turn(2), cost}).with("done"));
}

TEST_CASE("numbers at the bound of the wire stay within it", "[session]") {
  constexpr std::int64_t kMost = base::kIntegerLimit - 1;
  ReportTurnResult huge = success();
  huge.usage = {kMost, kMost, kMost, kMost};
  huge.agent_total = {-kMost};
  auto world = given(support::running());
  for (int i = 0; i < 3; ++i) {
    huge.agent_total.value = -huge.agent_total.value;
    auto when = world.when(report(3 + i, huge));
    REQUIRE(when.outcome());
    support::Given next = world;
    for (const Emitted& emitted : *when.outcome()) {
      CHECK_FALSE(base::encode(emitted.event.get<TurnFinished>()).empty());  // would abort
      Envelope envelope;
      envelope.actor_kind = ActorKind::worker;
      envelope.token = kToken;
      envelope.report_sequence = 3 + i;
      next.streams.fold(next.context.target, emitted.stream, envelope, emitted.event);
    }
    CHECK_FALSE(base::encode(next.session()).empty());
    const TurnId following = turn(100 + i);
    next.fold(TurnQueued{following});
    next.fold(TurnStarted{following, kToken});
    huge.turn = following;
    world = next;
  }
}

}  // namespace
}  // namespace domain
