// A limit of use whose end is known: prompts wait until then, and go on by themselves.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::Given;
using support::given;
using support::kSession;
using support::kToken;
using support::kWorker;
using support::report;
using support::turn;

constexpr Time kLimitWall{1'000'000'000};
constexpr Time kLimitReset = kLimitWall + std::chrono::hours(1);
constexpr Time kLimitUntil = kLimitReset + kUsageLimitMargin;
const std::string kLimitBudget = budget_stream("main");
const Fact kLimitSet = fact(UsageLimitSet{kSession, "scripted", kLimitUntil}).on(kLimitBudget);

Given at_limit_wall(const std::vector<Fact>& past, Time wall = kLimitWall) {
  Given world = given(past);
  world.context.wall = wall;
  return world;
}

RateLimitReported rejected_by(Time resets_at, Time blocks_until = {}) {
  return {turn(1), "rejected", "five_hour", resets_at, blocks_until};
}

ReportTurnResult refused_call() {
  ReportTurnResult result;
  result.turn = turn(1);
  result.is_error = true;
  result.terminal_reason = "api_error";
  result.api_status = 429;
  result.text = "You've hit your limit";
  result.basis = CostBasis::reported;
  return result;
}

std::vector<Fact> limited_past(bool is_multi_turn = true) {
  return support::running(is_multi_turn) +
         fact(rejected_by(kLimitReset, kLimitUntil)).by_report(1, 3);
}

TEST_CASE("a report of a limit says until when it blocks, if its end is near", "[session]") {
  const auto told = [](Time resets_at, Time blocks_until) {
    at_limit_wall(support::running())
        .when(report(3, rejected_by(resets_at)))
        .then(rejected_by(resets_at, blocks_until));
  };
  told(kLimitReset, kLimitUntil);
  told({}, {});
  told(kLimitWall, {});
  told(kLimitWall + kUsageLimitMax + base::Duration{1}, {});
  at_limit_wall(support::running())
      .when(report(3, RateLimitReported{turn(1), "allowed", "five_hour", kLimitReset, {}}))
      .then(RateLimitReported{turn(1), "allowed", "five_hour", kLimitReset, {}});
}

TEST_CASE("a turn that ends by a limit with a known end waits for it with its session",
          "[session]") {
  for (const bool is_multi_turn : {true, false}) {
    for (const bool goes_on : {true, false}) {
      auto past = limited_past(is_multi_turn);
      past.front().event.get<SessionOpened>().spec.edit().continues_after_failure = goes_on;
      const Given after = at_limit_wall(past)
                              .when(report(4, refused_call()))
                              .then(TurnReturned{turn(1)},
                                    fact(QueuePaused{EndReason::usage_limit, kLimitUntil})
                                        .with("You've hit your limit"),
                                    kLimitSet);
      CHECK(after.session().queue.front().turn == turn(1));
      CHECK(attention_of(after.session()) == Attention::over_budget);
      CHECK(after.streams.get<BudgetStream>(kLimitBudget).limited->at("scripted") == kLimitUntil);
    }
  }
}

TEST_CASE("what the turn has spent until the limit counts", "[session][R023]") {
  ReportTurnResult result = refused_call();
  result.spent = {{"model", {1, 2, 3, 4}, {500}}};
  result.agent_total = {500};
  const Given after =
      at_limit_wall(limited_past())
          .when(report(4, result))
          .then(
              SpendingRecorded{turn(1), result.spent, CostBasis::reported, {500}},
              TurnReturned{turn(1)},
              fact(QueuePaused{EndReason::usage_limit, kLimitUntil}).with("You've hit your limit"),
              kLimitSet);
  CHECK(after.session().cost.value == 500);
}

std::vector<Fact> waiting_past() {
  return limited_past() + fact(TurnReturned{turn(1)}).by_report(1, 4) +
         QueuePaused{EndReason::usage_limit, kLimitUntil} + kLimitSet;
}

TEST_CASE("prompts behind a limit of use go on when it is over", "[session]") {
  at_limit_wall(waiting_past()).when(PassDeadline{DeadlineKind::pause}).then();
  at_limit_wall(waiting_past(), kLimitUntil)
      .when(PassDeadline{DeadlineKind::pause})
      .then(QueueContinued{}, TurnStarted{turn(1), kToken});
}

// The agent that met the limit knows its turn, and would pass over it: the next one is given it.
TEST_CASE("the agent that met a limit of use ends, and the session does not", "[session]") {
  ReportAgentExited exited{1, 0, {}};
  exited.has_run = true;
  for (const bool is_multi_turn : {true, false}) {
    const auto past = limited_past(is_multi_turn) + fact(TurnReturned{turn(1)}).by_report(1, 4) +
                      QueuePaused{EndReason::usage_limit, kLimitUntil} + kLimitSet;
    const Given after = at_limit_wall(past)
                            .when(report(5, exited))
                            .then(AgentExited{1, 0, false}, LeaseReleased{kToken});
    CHECK(is_live(after.session().status));
    CHECK(after.session().pause == EndReason::usage_limit);
    at_limit_wall(past + QueueContinued{} + TurnStarted{turn(1), kToken})
        .when(report(5, exited))
        .then(AgentExited{1, 0, false}, TurnReturned{turn(1)}, LeaseReleased{kToken});
  }
}

TEST_CASE("a person can try before a limit of use is over", "[session]") {
  const Given after =
      at_limit_wall(waiting_past())
          .when(ContinueSession{})
          .then(QueueContinued{}, fact(UsageLimitSet{kSession, "scripted", {}}).on(kLimitBudget),
                TurnStarted{turn(1), kToken});
  CHECK(after.streams.get<BudgetStream>(kLimitBudget).limited->empty());
}

TEST_CASE("other sessions of the engine wait for the same limit", "[session]") {
  const auto other =
      fact(UsageLimitSet{support::kSource, "scripted", kLimitUntil}).on(kLimitBudget);
  at_limit_wall(support::starting() + other)
      .when(GrantLease{kWorker})
      .then(QueuePaused{EndReason::usage_limit, kLimitUntil});
  at_limit_wall(support::idle() + other)
      .when(SendPrompt{"And then?"})
      .then(fact(TurnQueued{support::kOwnTurn}).with("And then?"),
            QueuePaused{EndReason::usage_limit, kLimitUntil});
  at_limit_wall(support::idle() + other, kLimitUntil)
      .when(SendPrompt{"And then?"})
      .then(fact(TurnQueued{support::kOwnTurn}).with("And then?"),
            TurnStarted{support::kOwnTurn, kToken});
  const auto elsewhere =
      fact(UsageLimitSet{support::kSource, "claude", kLimitUntil}).on(kLimitBudget);
  at_limit_wall(support::idle() + elsewhere)
      .when(SendPrompt{"And then?"})
      .then(fact(TurnQueued{support::kOwnTurn}).with("And then?"),
            TurnStarted{support::kOwnTurn, kToken});
}

TEST_CASE("a limit without a known end fails the turn as ever", "[session][R010]") {
  const auto decided = at_limit_wall(support::running() + fact(rejected_by({})).by_report(1, 3))
                           .when(report(4, refused_call()))
                           .outcome();
  REQUIRE(decided);
  CHECK(decided->front().event.is<TurnFailed>());
}

TEST_CASE("a later turn fails by itself, though a limit was reported before", "[session][R010]") {
  // The prompt that met the limit has expired, and the next one calls the model and fails.
  const auto past = limited_past() +
                    fact(TurnInterrupted{turn(1), EndReason::expired, {}}).by_report(1, 4) +
                    TurnQueued{turn(2), {}} + TurnStarted{turn(2), kToken};
  ReportTurnResult failed = refused_call();
  failed.turn = turn(2);
  failed.api_status = 500;
  failed.spent = {{"m", {}, {7}}};
  const auto decided = at_limit_wall(past).when(report(5, failed)).outcome();
  REQUIRE(decided);
  CHECK(decided->front().event.is<TurnFailed>());
  // One that the provider refuses waits again.
  ReportTurnResult refused = refused_call();
  refused.turn = turn(2);
  const auto waits = at_limit_wall(past).when(report(5, refused)).outcome();
  REQUIRE(waits);
  CHECK((*waits)[0].event.is<TurnReturned>());
}

TEST_CASE("a limit that is not reached says nothing of another one", "[session]") {
  const auto allowed = [](const char* limit) {
    return fact(RateLimitReported{turn(1), "allowed", limit, kLimitReset, {}}).by_report(1, 4);
  };
  CHECK(given(limited_past() + allowed("seven_day")).session().limited_until == kLimitUntil);
  CHECK(given(limited_past() + allowed("five_hour")).session().limited_until.us == 0);
}

TEST_CASE("an agent that goes on by overage is not limited", "[session]") {
  RateLimitReported paid = rejected_by(kLimitReset);
  paid.is_overage = true;
  at_limit_wall(support::running()).when(report(3, paid)).then(paid);
}

TEST_CASE("a turn that succeeds after a refused call knows no limit any more", "[session]") {
  const Given after = given(limited_past() + fact(TurnFinished{turn(1), {}}).by_report(1, 4));
  CHECK(after.session().limited_until.us == 0);
}

}  // namespace
}  // namespace domain
