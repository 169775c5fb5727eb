// The sessions of an agent share a budget of a day: work stops there, prompts wait, and the next
// day goes on with them.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::Given;
using support::kToken;
using support::report;
using support::turn;

const std::string kDayBudget = budget_stream("main");
constexpr Time kNoon{1'000 * 86'400'000'000 + 43'200'000'000};
constexpr Time kMidnight{1'001 * 86'400'000'000};

// A world at noon in which the agent's sessions may spend 1000, and others have spent `spent`.
Given at_noon(const std::vector<Fact>& past, std::int64_t spent) {
  Given world;
  world.context.now = world.context.wall = kNoon;
  world.context.limits.daily_budget = {1000};
  const auto fold = [&](const Fact& one) {
    Envelope envelope;
    envelope.actor_kind = ActorKind::server;
    envelope.log_time = envelope.wall_time = kNoon;
    envelope.token = one.token;
    envelope.report_sequence = one.sequence;
    world.fold(one, envelope);
  };
  for (const Fact& one : past) fold(one);
  if (spent > 0) fold(fact(AgentSpent{support::kSource, {spent}}).on(kDayBudget));
  return world;
}

Given at_midnight(Given world) {
  world.context.now = world.context.wall = kMidnight;
  return world;
}

// `total`: what was told until then, with it.
Fact share_told(std::int64_t cost, std::int64_t total) {
  return fact(AgentSpent{support::kSession, {cost}, {total}}).on(kDayBudget);
}
Fact share_told(std::int64_t cost) {
  return share_told(cost, cost);
}

ReportSpending share_of(std::int64_t cost) {
  return {turn(1), {{"m", {}, {cost}}}};
}
SpendingRecorded share_recorded(std::int64_t cost) {
  return {turn(1), {{"m", {}, {cost}}}, CostBasis::reported};
}

ReportTurnResult end_in_error() {
  ReportTurnResult r;
  r.turn = turn(1);
  r.is_error = true;
  r.basis = CostBasis::reported;
  return r;
}

const QueuePaused kDayPaused{EndReason::daily_budget};
const InterruptRequested kDayStopped{turn(1), EndReason::daily_budget};

TEST_CASE("a turn is interrupted when its agent has spent what it may in a day",
          "[session][R023]") {
  at_noon(support::running(), 900)
      .when(report(3, share_of(99)))
      .then(share_recorded(99), share_told(99));
  const Given after = at_noon(support::running(), 900)
                          .when(report(3, share_of(100)))
                          .then(share_recorded(100), kDayStopped, share_told(100));
  CHECK(after.streams.get<BudgetStream>(kDayBudget).spent.value == 1000);
  CHECK(after.session().turn->stop == EndReason::daily_budget);
  // It is asked for once.
  after.when(report(4, share_of(1))).then(share_recorded(1), share_told(1, 101));
}

TEST_CASE("a multi-turn session outlives the budget of a day, and its prompts wait", "[session]") {
  const auto past = support::running() + TurnQueued{turn(2)} + kDayStopped;
  const auto decided = at_noon(past, 1000).when(report(3, end_in_error())).outcome();
  REQUIRE(decided);
  CHECK((*decided)[0].event.get<TurnInterrupted>().reason == EndReason::daily_budget);
  CHECK((*decided)[1].event.get<QueuePaused>() == kDayPaused);

  const auto single = at_noon(support::running(false) + kDayStopped, 1000)
                          .when(report(3, end_in_error()))
                          .outcome();
  REQUIRE(single);
  CHECK((*single)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::daily_budget});
}

TEST_CASE("a turn that was stopped on another day pauses nothing", "[session]") {
  const auto past = support::running() + TurnQueued{turn(2)} + kDayStopped;
  const auto started = [](const base::Result<Decision, Rejection>& decided) {
    REQUIRE(decided);
    return std::any_of(decided->begin(), decided->end(), [](const Emitted& one) {
      CHECK_FALSE(one.event.is<QueuePaused>());
      return one.event.is<TurnStarted>();
    });
  };
  const Given next_day = at_midnight(at_noon(past, 1000));
  CHECK(started(next_day.when(report(3, end_in_error())).outcome()));
  CHECK_FALSE(started(next_day.when(ExpireLease{kToken, turn(1)}).outcome()));
  ReportAgentExited died;
  died.has_run = true;
  died.given = turn(1);
  CHECK_FALSE(started(next_day.when(report(3, died)).outcome()));
  Given raised = at_noon(past, 1000);
  raised.context.limits.daily_budget = {2000};
  CHECK(started(raised.when(report(3, end_in_error())).outcome()));
}

TEST_CASE("a session that goes on after failures waits for the next day, too", "[session]") {
  auto past = support::running() + TurnQueued{turn(2)} + kDayStopped;
  past.front().event.get<SessionOpened>().spec.edit().continues_after_failure = true;
  const auto decided = at_noon(past, 1000).when(report(3, end_in_error())).outcome();
  REQUIRE(decided);
  CHECK((*decided)[1].event.get<QueuePaused>() == kDayPaused);
}

TEST_CASE("a failure behind the budget of a day does not keep prompts from the next day",
          "[session]") {
  const auto past = support::running() + TurnQueued{turn(2)} +
                    fact(TurnFailed{turn(1), "e", "", 0, {}}).by_report(1, 3) + kDayPaused +
                    fact(OwnTurnStarted{turn(9), OwnTurnCause::task, "", {}}).by_report(1, 4);
  ReportAgentExited died;
  died.has_run = true;
  const auto decided = at_noon(past, 1000).when(report(5, died)).outcome();
  REQUIRE(decided);
  for (const Emitted& one : *decided) CHECK_FALSE(one.event.is<QueuePaused>());
}

TEST_CASE("no session begins once its agent has spent what it may in a day", "[session]") {
  Spawn c;
  c.spec = support::sample_spec(true);
  c.prompt = "Begin";
  const auto refused = at_noon({}, 1000).when(c).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::over_budget);
  CHECK(refused.error().text.find("daily_budget_usd") != std::string::npos);
  CHECK(at_noon({}, 999).when(c).outcome());
  CHECK(at_midnight(at_noon({}, 1000)).when(c).outcome());
  Given unlimited = at_noon({}, 1000);
  unlimited.context.limits.daily_budget = {};
  CHECK(unlimited.when(c).outcome());
}

TEST_CASE("prompts wait behind the budget of a day until it is over", "[session]") {
  const auto idle = support::running() + fact(TurnFinished{turn(1), {}}).by_report(1, 3);
  const TurnId sent{support::kCommand.bytes};
  const Given paused = at_noon(idle, 1000)
                           .when(SendPrompt{"Go on"})
                           .then(fact(TurnQueued{sent}).with("Go on"), kDayPaused);
  CHECK(attention_of(paused.session()) == Attention::over_budget);
  CHECK(next_deadline(lease_state(paused.session())) == Deadline{DeadlineKind::day, kMidnight});
  // A restart gives no fresh day.
  CHECK(next_deadline(lease_state(paused.session()), kNoon) ==
        Deadline{DeadlineKind::day, kMidnight});
  paused.when(PassDeadline{DeadlineKind::day}).then_nothing();
  paused.when(ContinueSession{}).then_rejected(RejectionCode::over_budget);
  const Given next = at_midnight(paused)
                         .when(PassDeadline{DeadlineKind::day})
                         .then(QueueContinued{}, TurnStarted{sent, kToken});
  CHECK_FALSE(next_deadline(lease_state(next.session())));
  // The next day's budget can be spent by then.
  Given spent = at_midnight(paused);
  Envelope today;
  today.log_time = today.wall_time = kMidnight;
  spent.fold(fact(AgentSpent{support::kSource, {1000}}).on(kDayBudget), today);
  const Given again =
      spent.when(PassDeadline{DeadlineKind::day}).then(QueueContinued{}, kDayPaused);
  CHECK(next_deadline(lease_state(again.session())) ==
        Deadline{DeadlineKind::day, day_end(kMidnight)});
}

TEST_CASE("a server with a larger budget goes on with the prompts of the day", "[session]") {
  const auto idle = support::running() + fact(TurnFinished{turn(1), {}}).by_report(1, 3);
  Given paused = at_noon(idle + TurnQueued{turn(2)} + kDayPaused, 1000);
  paused.when(PassDeadline{DeadlineKind::day}).then_nothing();
  paused.context.limits.daily_budget = {1001};
  paused.when(PassDeadline{DeadlineKind::day}).then(QueueContinued{}, TurnStarted{turn(2), kToken});
}

TEST_CASE("a session without a lease goes on when the day is over", "[session]") {
  at_midnight(at_noon(support::starting(false) + kDayPaused, 1000))
      .when(PassDeadline{DeadlineKind::day})
      .then(QueueContinued{})
      .when(GrantLease{support::kWorker})
      .then(LeaseGranted{support::kWorker, kToken, {}}, TurnStarted{turn(1), kToken});
}

TEST_CASE("a limit that stays reached counts before the budget of a day", "[session]") {
  auto past = support::running();
  past.front().event.get<SessionOpened>().spec.edit().use_limits.edit().max_tokens = 5;
  const Spending both{{"m", {5, 0, 0, 0}, {1000}}};
  at_noon(past, 0)
      .when(report(3, ReportSpending{turn(1), both}))
      .then(SpendingRecorded{turn(1), both, CostBasis::reported},
            InterruptRequested{turn(1), EndReason::max_tokens}, share_told(1000));
}

TEST_CASE("prompts that a person goes on with wait for the next day, too", "[session]") {
  const auto failed = support::running() + TurnQueued{turn(2)} +
                      fact(TurnFailed{turn(1), "e", "", 0, {}}).by_report(1, 3) +
                      QueuePaused{EndReason::turn_error};
  at_noon(failed, 1000).when(ContinueSession{}).then(QueueContinued{}, kDayPaused);
}

TEST_CASE("whoever is told of a session hears that it waits for the next day", "[session]") {
  const auto idle = support::running() + fact(TurnFinished{turn(1), {}}).by_report(1, 3);
  const auto kind_told = [](Given world, Command command) {
    world.context.limits.sinks.fill(true);
    std::optional<NotificationKind> kind;
    const auto decided = world.when(std::move(command)).outcome();
    REQUIRE(decided);
    for (const Emitted& one : *decided) {
      const auto* request = one.event.as<NotificationRequested>();
      if (request != nullptr) kind = request->kind;
    }
    return kind;
  };
  CHECK(kind_told(at_noon(idle, 1000), support::as_command(SendPrompt{"Go on"})) ==
        NotificationKind::paused);
  CHECK(kind_told(at_noon(support::running(false) + kDayStopped, 1000),
                  support::as_command(report(3, end_in_error()))) == NotificationKind::budget);
}

TEST_CASE("no agent is started for prompts behind the budget of a day", "[session]") {
  at_noon(support::starting(), 1000)
      .when(GrantLease{support::kWorker})
      .then(kDayPaused)
      .when(GrantLease{support::kWorker})
      .then_rejected(RejectionCode::over_budget);
  const auto granted =
      at_noon(support::starting(), 999).when(GrantLease{support::kWorker}).outcome();
  REQUIRE(granted);
  CHECK(granted->front().event.is<LeaseGranted>());
}

TEST_CASE("work without a turn ends with its session at the budget of a day", "[session]") {
  const auto at_rest = support::running() + fact(TurnFinished{turn(1), {}}).by_report(1, 3);
  const ReportSpending late{{}, {{"m", {}, {1000}}}};
  const SpendingRecorded recorded{{}, {{"m", {}, {1000}}}, CostBasis::reported};
  // The agent tells late what its turn has spent.
  at_noon(at_rest, 0).when(report(4, late)).then(recorded, share_told(1000));
  const auto with_tasks = at_rest + fact(TasksChanged{1}).by_report(1, 4);
  at_noon(with_tasks, 0)
      .when(report(5, late))
      .then(recorded, SessionClosed{SessionStatus::failed, EndReason::daily_budget},
            support::name_released(), support::place_released_with_lease(), share_told(1000));
  const auto own = at_rest + fact(OwnTurnStarted{turn(9), OwnTurnCause::task, "", {}});
  at_noon(own, 0)
      .when(report(4, late))
      .then(recorded, InterruptRequested{turn(9), EndReason::daily_budget}, share_told(1000));
}

TEST_CASE("without a budget of a day nothing of it is recorded", "[session]") {
  given(support::running()).when(report(3, share_of(5))).then(share_recorded(5));
}

TEST_CASE("each day is counted by itself, and the last two are kept", "[session]") {
  BudgetState state;
  Envelope envelope;
  const auto spend = [&](Time when, std::int64_t cost) {
    envelope.position = envelope.position.next();
    envelope.wall_time = when;
    evolve(state, envelope, AgentSpent{support::kSession, {cost}});
  };
  spend({kMidnight.us - 1}, 5);
  spend({kMidnight.us - 1}, 6);
  CHECK(spent_on_day(state, kNoon).value == 11);
  CHECK(spent_on_day(state, kMidnight).value == 0);
  spend(kMidnight, 7);
  CHECK(spent_on_day(state, {kMidnight.us + 1}).value == 7);
  // The clock is set back over midnight.
  CHECK(spent_on_day(state, kNoon).value == 11);
  spend(kNoon, 1);
  CHECK(spent_on_day(state, kNoon).value == 12);
  CHECK(spent_on_day(state, kMidnight).value == 7);
  spend({kMidnight.us + 86'400'000'000}, 2);
  CHECK(spent_on_day(state, kMidnight).value == 0);
  CHECK(day_start(kNoon).us == 1'000 * 86'400'000'000);
  CHECK(day_end(kNoon) == kMidnight);
  CHECK(day_end(kMidnight).us == kMidnight.us + 86'400'000'000);
  CHECK(day_start({-1}).us == -86'400'000'000);
  CHECK(state.inconsistent.value == 0);
  spend(kMidnight, -1);
  CHECK(state.inconsistent == envelope.position);
}

// ---- the caps beside that of an agent's day ----

// A world in which the agent's sessions may spend 1000 over all time, and others have spent so
// much.
Given with_agent_cap(const std::vector<Fact>& past, std::int64_t spent) {
  Given world = at_noon(past, 0);
  world.context.limits.daily_budget = {};
  world.context.limits.agent_budget = {1000};
  world.fold(fact(AgentSpent{support::kSource, {spent}, {spent}}).on(kDayBudget));
  return world;
}

TEST_CASE("a cap over all time stops an agent's turns, and does not end with the day",
          "[session][R023]") {
  with_agent_cap(support::running(), 900)
      .when(report(3, share_of(100)))
      .then(share_recorded(100), InterruptRequested{turn(1), EndReason::agent_budget},
            share_told(100, 1000));
  const auto refused =
      at_midnight(with_agent_cap({}, 1000)).when(support::spawn_command()).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::over_budget);
  CHECK(refused.error().text.find("agent_budget_usd") != std::string::npos);
}

TEST_CASE("prompts behind a cap over all time wait until it is larger", "[session]") {
  const QueuePaused paused{EndReason::agent_budget};
  const Given behind =
      with_agent_cap(support::starting(), 1000).when(GrantLease{support::kWorker}).then(paused);
  CHECK(attention_of(behind.session()) == Attention::over_budget);
  CHECK_FALSE(next_deadline(lease_state(behind.session())));
  auto told = behind.when(ContinueSession{});
  told.then_rejected(RejectionCode::over_budget);
  Given raised = behind;
  raised.context.limits.agent_budget = {2000};
  raised.when(ContinueSession{}).then(QueueContinued{});
}

TEST_CASE("the sessions of all agents share a budget of a day", "[session][R023]") {
  const std::string all(kTotalBudgetStream);
  Given world = at_noon(support::running(), 0);
  world.context.limits.daily_budget = {};
  world.context.limits.total_daily_budget = {1000};
  Envelope at_day;
  at_day.log_time = at_day.wall_time = kNoon;
  world.fold(fact(TotalSpent{support::kSource, {900}}).on(all), at_day);
  const Given after = world.when(report(3, share_of(100)))
                          .then(share_recorded(100), kDayStopped,
                                fact(TotalSpent{support::kSession, {100}}).on(all));
  const auto refused = after.when(support::spawn_command()).outcome();
  REQUIRE_FALSE(refused);
}

}  // namespace
}  // namespace domain
