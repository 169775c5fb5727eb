// A budget holds for a session with all that resume and fork it, whatever their agents do.
#include "eventlog/domain/session/deciding.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::kSession;
using support::kSource;
using support::kToken;
using support::report;
using support::turn;

const std::string kLineage = lineage_stream("main", kSource);

std::vector<Fact> with_budget(std::vector<Fact> past, std::int64_t budget) {
  past.front().event.get<SessionOpened>().spec.edit().budget = {budget};
  return past;
}

// The session resumes kSource, and both have spent so much together.
std::vector<Fact> resumed_after(std::int64_t spent, std::int64_t budget,
                                std::vector<Fact> past = support::running()) {
  auto& opened = past.front().event.get<SessionOpened>();
  opened.resumed_from = kSource;
  opened.lineage = kSource;
  past.push_back(fact(LineageSpent{kSource, {spent}, "agent-session", {spent}}).on(kLineage));
  return with_budget(std::move(past), budget);
}

ReportSpending spending_of(std::int64_t cost) {
  return {turn(1), {{"m", {}, {cost}}}};
}

SpendingRecorded recorded_as(std::int64_t cost) {
  return {turn(1), {{"m", {}, {cost}}}, CostBasis::reported};
}

ReportTurnResult result_costing(std::int64_t cost, bool is_error = false) {
  ReportTurnResult r;
  r.turn = turn(1);
  r.is_error = is_error;
  r.basis = CostBasis::reported;
  r.spent = {{"m", {}, {cost}}};
  return r;
}

TEST_CASE("a turn is interrupted when the budget is spent", "[session][R023]") {
  const auto past = with_budget(support::running(), 1000);
  given(past).when(report(3, spending_of(999))).then(recorded_as(999));
  const auto after = given(past)
                         .when(report(3, spending_of(1000)))
                         .then(recorded_as(1000), InterruptRequested{turn(1), EndReason::budget});
  CHECK(after.session().turn->is_over_budget);
  const auto ended = after.when(report(4, result_costing(50, true))).outcome();
  REQUIRE(ended);
  const auto& interrupted = ended->front().event.get<TurnInterrupted>();
  CHECK(interrupted.reason == EndReason::budget);
  CHECK(interrupted.cost.cost.value == 1050);
  CHECK((*ended)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::budget});
}

TEST_CASE("an agent that spends on is ended", "[session]") {
  const auto asked = with_budget(support::running(), 1000) +
                     fact(recorded_as(1000)).by_report(1, 3) +
                     InterruptRequested{turn(1), EndReason::budget};
  auto world = given(asked);
  world.context.now = Time{kInterruptGrace.count() - 1};
  world.when(report(4, spending_of(10))).then(recorded_as(10));
  world.context.now = Time{kInterruptGrace.count()};
  world.when(report(4, spending_of(10)))
      .then(recorded_as(10),
            TurnInterrupted{turn(1), EndReason::budget, booked({{"m", {}, {1010}}})},
            SessionClosed{SessionStatus::failed, EndReason::budget}, support::name_released(),
            support::place_released_with_lease());
}

TEST_CASE("an agent that dies over its budget has failed by it", "[session]") {
  ReportAgentExited exited;
  exited.signal = 9;
  exited.has_run = true;
  exited.given = turn(1);
  const auto asked = with_budget(support::running(), 1000) +
                     fact(recorded_as(1000)).by_report(1, 3) +
                     InterruptRequested{turn(1), EndReason::budget};
  const auto after = given(asked).when(report(4, exited)).outcome();
  REQUIRE(after);
  const auto& closed = (*after)[3].event.get<SessionClosed>();
  CHECK(closed == SessionClosed{SessionStatus::failed, EndReason::budget});
}

TEST_CASE("the agent's own work over the budget ends the session", "[session]") {
  const auto past =
      with_budget(support::idle(), 1000) + OwnTurnStarted{turn(50), OwnTurnCause::task, "t", {}};
  ReportSpending own = spending_of(1000);
  own.turn = turn(50);
  const auto after = given(past).when(report(4, own)).outcome();
  REQUIRE(after);
  CHECK((*after)[1].event.is<TurnInterrupted>());
  CHECK((*after)[2].event.get<SessionClosed>().reason == EndReason::budget);
}

TEST_CASE("a user's interrupt does not keep the budget from interrupting", "[session]") {
  const auto past = with_budget(support::running(), 1000) + InterruptRequested{turn(1)};
  given(past)
      .when(report(3, spending_of(1000)))
      .then(recorded_as(1000), InterruptRequested{turn(1), EndReason::budget});
}

TEST_CASE("work in the background over the budget ends the session", "[session]") {
  const auto after =
      given(with_budget(support::idle(), 1000)).when(report(4, spending_of(1000))).outcome();
  REQUIRE(after);
  CHECK((*after)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::budget});
}

TEST_CASE("the lease of a worker that is lost over the budget ends with the session", "[session]") {
  given(support::running(), InterruptRequested{turn(1), EndReason::budget})
      .when(ExpireLease{kToken, turn(1)})
      .then(LeaseExpired{kToken}, TurnInterrupted{turn(1), EndReason::budget, booked({})},
            SessionClosed{SessionStatus::failed, EndReason::budget}, support::name_released(),
            support::place_released());
}

TEST_CASE("a turn over the budget that no agent was given is not repeated", "[session]") {
  const auto asked = with_budget(support::running(), 1000) +
                     fact(recorded_as(1000)).by_report(1, 3) +
                     InterruptRequested{turn(1), EndReason::budget};
  ReportAgentExited exited;
  exited.has_run = true;
  const auto agent_is_gone = given(asked).when(report(4, exited)).outcome();
  const auto lease_is_gone = given(asked).when(ExpireLease{kToken}).outcome();
  for (const auto& decided : {agent_is_gone, lease_is_gone}) {
    REQUIRE(decided);
    int closed = 0;
    for (const Emitted& one : *decided) {
      CHECK_FALSE(one.event.is<TurnReturned>());
      const auto* ended = one.event.as<SessionClosed>();
      if (ended == nullptr) continue;
      ++closed;
      CHECK(ended->reason == EndReason::budget);
    }
    CHECK(closed == 1);
  }
}

TEST_CASE("neither a failure nor a word to go on begins a turn over the budget", "[session]") {
  auto past = with_budget(support::running(), 1000);
  past.front().event.get<SessionOpened>().spec.edit().continues_after_failure = true;
  const auto failed =
      given(past + TurnQueued{turn(2)}).when(report(3, result_costing(1000, true))).outcome();
  REQUIRE(failed);
  const TurnCost cost{{}, {1000}, {}, 0, {}, CostBasis::reported};
  const auto paused = with_budget(support::running(), 1000) + TurnQueued{turn(2)} +
                      fact(TurnFailed{turn(1), "e", "e", 0, cost}).by_report(1, 3) +
                      QueuePaused{EndReason::turn_error};
  const auto told_to = given(paused).when(ContinueSession{}).outcome();
  REQUIRE(told_to);
  for (const auto& decided : {failed, told_to}) {
    for (const Emitted& one : *decided) {
      CHECK_FALSE(one.event.is<TurnStarted>());
      const auto* ended = one.event.as<SessionClosed>();
      if (ended != nullptr) CHECK(ended->reason == EndReason::budget);
    }
  }
}

TEST_CASE("no further turn begins once the budget is spent", "[session][C17][C18]") {
  const auto past = with_budget(support::running(), 1000);
  // The turn itself ends well.
  const auto after =
      given(past + TurnQueued{turn(2)}).when(report(3, result_costing(1000))).outcome();
  REQUIRE(after);
  CHECK(after->front().event.is<TurnFinished>());
  CHECK((*after)[1].event.get<TurnInterrupted>().turn == turn(2));
  CHECK((*after)[2].event.get<SessionClosed>().reason == EndReason::budget);
  // Nothing waits: the session stays, and takes no more prompts.
  const TurnCost cost{{}, {1000}, {}, 0, {}, CostBasis::reported};
  const auto idle =
      with_budget(support::running(), 1000) + fact(TurnFinished{turn(1), cost}).by_report(1, 3);
  auto refused = given(idle).when(SendPrompt{"more", false});
  refused.then_rejected(RejectionCode::over_budget);
}

TEST_CASE("what is left of the lineage is what the agent is told", "[session]") {
  const auto past = resumed_after(700, 1000, support::starting());
  given(past)
      .when(GrantLease{support::kWorker})
      .then(LeaseGranted{support::kWorker, kToken, {}, {300}}, TurnStarted{turn(1), kToken},
            fact(LineageReserved{kSession, {1000}, {300}}).on(kLineage));
  const auto spent = resumed_after(1000, 1000, support::starting());
  const auto after = given(spent).when(GrantLease{support::kWorker}).outcome();
  REQUIRE(after);
  CHECK((*after)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::budget});
}

TEST_CASE("relatives tell each other what they spend", "[session]") {
  const auto past = resumed_after(700, 1000);
  const auto after =
      given(past)
          .when(report(3, spending_of(200)))
          .then(recorded_as(200),
                fact(LineageSpent{kSession, {200}, "agent-session", {}, CostBasis::reported})
                    .on(kLineage))
          .when(report(4, spending_of(100)))
          .then(recorded_as(100), InterruptRequested{turn(1), EndReason::budget},
                fact(LineageSpent{kSession, {100}, "agent-session", {}, CostBasis::reported})
                    .on(kLineage));
  CHECK(after.streams.get<LineageStream>(kLineage).spent.value == 1000);
}

TEST_CASE("a result tells the lineage the agent's running total", "[session]") {
  ReportTurnResult r = result_costing(200);
  r.agent_total = {900};
  const auto after = given(resumed_after(700, 0)).when(report(3, r)).outcome();
  REQUIRE(after);
  CHECK(after->back().event.get<LineageSpent>() ==
        LineageSpent{kSession, {200}, "agent-session", {900}, CostBasis::reported});
}

TEST_CASE("a lineage of an earlier release begins with what its session had spent", "[session]") {
  auto past = resumed_after(0, 0);
  past.pop_back();
  past.push_back(fact(recorded_as(700)).by_report(1, 3));
  given(past)
      .when(report(4, spending_of(200)))
      .then(recorded_as(200),
            fact(LineageSpent{kSession, {900}, "agent-session", {}, CostBasis::reported})
                .on(kLineage));
}

TEST_CASE("a lineage adds up an agent's session until its total is told", "[session]") {
  LineageState state;
  const auto spend = [&](std::int64_t cost, std::int64_t total) {
    evolve(state, Envelope{}, LineageSpent{kSession, {cost}, "a", {total}});
    return total_of(state, "a");
  };
  CHECK_FALSE(spend(5, 0));
  CHECK(spend(5, 70) == NanoUsd{70});
  CHECK(spend(5, 0) == NanoUsd{75});
  CHECK(spend(0, 76) == NanoUsd{76});
  CHECK_FALSE(total_of(state, "b"));
}

TEST_CASE("a spent budget refuses resumes and forks with the sum", "[session]") {
  SessionOpened opened{kSource, "main",  "first", "alias000", {}, support::sample_spec(true),
                       {},      kSource, {}};
  const auto on_source = [](Fact f) { return f.on(support::kSourceStream); };
  const std::vector<Fact> past = {
      on_source(opened),
      on_source(TurnQueued{turn(1)}),
      on_source(LeaseGranted{support::kWorker, kToken, {}}),
      on_source(TurnStarted{turn(1), kToken}),
      on_source(AgentInitialized{"old", "m", "2"}),
      on_source(TurnFinished{turn(1), {{}, {2'500'000'000}, {2'500'000'000}}}),
      on_source(SessionClosed{SessionStatus::killed, EndReason::user}),
      on_source(LeaseReleased{kToken})};
  Spawn c;
  c.name = "second";
  c.spec = support::sample_spec(true);
  c.prompt = "Go on";
  c.resume = kSource;
  c.is_fork = GENERATE(false, true);
  c.spec.budget = {2'500'000'000};
  const auto refused = given(past).when(c).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::over_budget);
  CHECK(refused.error().text.find("$2.5") != std::string::npos);
  c.spec.budget = {2'500'000'001};
  CHECK(given(past).when(c).outcome());
  c.spec.budget = {};
  CHECK(given(past).when(c).outcome());
  // Also what others of the lineage have spent counts.
  const auto more = past + fact(LineageSpent{kSource, {4'000'000'000}, "old", {}}).on(kLineage);
  c.spec.budget = {3'000'000'000};
  CHECK_FALSE(given(more).when(c).outcome());
}

TEST_CASE("a lineage remembers the totals of the agent's sessions that changed last", "[session]") {
  LineageState state;
  Envelope envelope;
  for (int i = 0; i < 70; ++i) {
    envelope.position = envelope.position.next();
    evolve(state, envelope, LineageSpent{kSession, {1}, "s" + std::to_string(i), {i + 1}});
  }
  CHECK(state.totals.size() == kAgentTotalsMax);
  CHECK_FALSE(total_of(state, "s0"));
  CHECK(total_of(state, "s69") == NanoUsd{70});
  CHECK(state.spent.value == 70);
  CHECK(state.inconsistent.value == 0);
  evolve(state, envelope, LineageSpent{kSession, {-1}, {}, {}});
  CHECK(state.inconsistent.value == envelope.position.value);
}

TEST_CASE("an answer that was too dear is kept, and its session ends over budget",
          "[session][R023]") {
  const auto single = with_budget(support::running(false), 1000);
  const auto over = given(single).when(report(3, result_costing(1000))).outcome();
  REQUIRE(over);
  CHECK((*over)[0].event.is<TurnFinished>());
  CHECK((*over)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::completed, EndReason::budget});
  const auto below = given(single).when(report(3, result_costing(999))).outcome();
  REQUIRE(below);
  CHECK((*below)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::completed, EndReason::none});
}

// ---- models without a price ----

ReportTurnResult unpriced_result(bool is_error = false) {
  ReportTurnResult r = result_costing(0, is_error);
  r.spent = {{"m", {100, 0, 0, 0}, {}, true}};
  r.basis = CostBasis::unknown;
  return r;
}

TEST_CASE("a cost that is not known is said so, and spends no budget", "[session][R045]") {
  const auto past = with_budget(support::running(), 1000);
  const Spending use{{"m", {100, 0, 0, 0}, {}, true}};
  const auto told = given(past)
                        .when(report(3, ReportSpending{turn(1), use}))
                        .then(SpendingRecorded{turn(1), use, CostBasis::reported});
  CHECK(cost_basis(told.session()) == CostBasis::unknown);
  const auto ended = given(past).when(report(3, unpriced_result())).outcome();
  REQUIRE(ended);
  const auto& finished = (*ended)[0].event.get<TurnFinished>();
  CHECK(finished.cost.basis == CostBasis::unknown);
  CHECK(finished.cost.cost.value == 0);
  CHECK(has_unpriced(finished.cost.spent));
}

TEST_CASE("a use without a price costs what the turn's result tells", "[session][R045]") {
  const Spending use{{"m", {100, 0, 0, 0}, {}, true}};
  const auto past = support::running() +
                    fact(SpendingRecorded{turn(1), use, CostBasis::reported}).by_report(1, 3);
  const auto ended = given(past).when(report(4, result_costing(500))).outcome();
  REQUIRE(ended);
  const auto& finished = (*ended)[0].event.get<TurnFinished>();
  CHECK(finished.cost.cost.value == 500);
  CHECK(finished.cost.basis == CostBasis::reported);
  CHECK_FALSE(has_unpriced(finished.cost.spent));
  // Without a result nobody knows.
  const auto killed = given(past).when(KillSession{}).outcome();
  REQUIRE(killed);
  CHECK((*killed)[0].event.get<TurnInterrupted>().cost.basis == CostBasis::unknown);
}

TEST_CASE("an agent that guesses a price does not end its session as over budget", "[session]") {
  ReportTurnResult r = unpriced_result(true);
  r.subtype = "error_max_budget_usd";
  const auto past = with_budget(support::running(false), 1000);
  const auto ended = given(past).when(report(3, r)).outcome();
  REQUIRE(ended);
  CHECK((*ended)[1].event.get<SessionClosed>().reason == EndReason::turn_error);
  r.basis = CostBasis::reported;
  r.spent.clear();
  const auto priced = given(past).when(report(3, r)).outcome();
  REQUIRE(priced);
  CHECK((*priced)[1].event.get<SessionClosed>().reason == EndReason::budget);
}

// ---- those that run at once ----

TEST_CASE("a lineage over its budget interrupts all its sessions at work", "[session][R023]") {
  const auto other = support::numbered<base::SessionId>(3);
  const std::string other_stream = session_stream("main", other);
  auto past = resumed_after(700, 1000);
  past.push_back(fact(LineageReserved{kSession, {1000}, {300}}).on(kLineage));
  std::vector<Fact> relative = with_budget(support::running(), 1000);
  for (Fact& one : relative) {
    if (!one.stream.empty()) continue;
    if (auto* opened = one.event.as<SessionOpened>()) {
      opened->session = other;
      opened->lineage = kSource;
      opened->name.clear();
    }
    past.push_back(one.on(other_stream));
  }
  past.push_back(fact(LineageReserved{other, {1000}, {300}}).on(kLineage));
  const auto told = [](std::int64_t cost) {
    return fact(LineageSpent{kSession, {cost}, "agent-session", {}, CostBasis::reported})
        .on(kLineage);
  };
  given(past).when(report(3, spending_of(299))).then(recorded_as(299), told(299));
  const auto after =
      given(past)
          .when(report(3, spending_of(300)))
          .then(recorded_as(300), InterruptRequested{turn(1), EndReason::budget}, told(300),
                fact(InterruptRequested{turn(1), EndReason::budget}).on(other_stream));
  CHECK(after.streams.get<SessionStream>(other_stream).turn->is_over_budget);
  // One whose agent has ended is left alone.
  const auto freed = past + fact(LineageFreed{other}).on(kLineage);
  given(freed)
      .when(report(3, spending_of(300)))
      .then(recorded_as(300), InterruptRequested{turn(1), EndReason::budget}, told(300));
}

TEST_CASE("what is reserved for a session is free when its lease has ended", "[session]") {
  const auto past =
      resumed_after(0, 1000) + fact(LineageReserved{kSession, {1000}, {1000}}).on(kLineage);
  for (const bool is_lost : {false, true}) {
    ReportAgentExited exited;
    exited.has_run = true;
    exited.given = turn(1);
    const auto decided = is_lost ? given(past).when(ExpireLease{kToken, turn(1)}).outcome()
                                 : given(past).when(report(3, exited)).outcome();
    REQUIRE(decided);
    CHECK(std::any_of(decided->begin(), decided->end(), [](const Emitted& one) {
      return one.event == Event(LineageFreed{kSession});
    }));
  }
}

// ---- the agent's own totals ----

ReportTurnResult result_with(std::int64_t cost, std::int64_t total, std::int64_t base) {
  ReportTurnResult r = result_costing(cost);
  r.agent_total = {total};
  r.agent_base = {base};
  return r;
}

TEST_CASE("a version that counts from zero in each process is counted once", "[session][C18]") {
  constexpr std::int64_t kCost = 75'400'000;
  // Each process runs one turn: the newer version twice, the older one, the newer one again, which
  // knows nothing of the older one's.
  const std::vector<ReportTurnResult> results = {
      result_with(kCost, kCost, 0), result_with(kCost, 2 * kCost, kCost),
      result_with(kCost, kCost, -1), result_with(kCost, 3 * kCost, 2 * kCost)};
  auto world = given(support::starting());
  for (int i = 0; i < 4; ++i) {
    const base::FencingToken token{i + 1};
    const auto id = turn(i + 1);
    world.fold(Fact(LeaseGranted{
        support::kWorker, token, "agent-session", {}, running_total(world.session())}));
    world.fold(Fact(TurnStarted{id, token}));
    world.fold(Fact(AgentInitialized{"agent-session", "model", "2.0"}));
    world.fold(Fact(TurnQueued{turn(i + 2)}));
    ReportTurnResult r = results[static_cast<std::size_t>(i)];
    r.turn = id;
    const auto decided = world.when(report(1, r, i + 1)).outcome();
    REQUIRE(decided);
    for (const Emitted& one : *decided) {
      if (one.stream.empty() && !one.event.is<TurnStarted>()) {
        world.fold(Fact(one.event));
      }
    }
    world.fold(Fact(LeaseReleased{token}));
  }
  CHECK(world.session().cost.value == 4 * kCost);
  CHECK(world.session().basis == CostBasis::reported);
}

TEST_CASE("a resume books what a session had spent that nobody heard", "[session][R045]") {
  // The first session's worker died before anything was told.
  SessionOpened first{kSource, "main",  "first", "alias000", {}, support::sample_spec(true),
                      {},      kSource, {}};
  std::vector<Fact> past;
  for (const Fact& one :
       {Fact(first), Fact(TurnQueued{turn(1)}), Fact(LeaseGranted{support::kWorker, kToken, {}}),
        Fact(TurnStarted{turn(1), kToken}), Fact(AgentInitialized{"old", "m", "2"}),
        Fact(TurnInterrupted{turn(1), EndReason::worker_lost, booked({})}),
        Fact(SessionClosed{SessionStatus::failed, EndReason::worker_lost}),
        Fact(LeaseExpired{kToken})}) {
    past.push_back(one.on(support::kSourceStream));
  }
  Spawn resume = support::spawn_command();
  resume.resume = kSource;
  const auto spawned = given(past).when(resume).outcome();
  REQUIRE(spawned);
  auto world = given(past);
  for (const Emitted& one : *spawned) world.fold(Fact(one.event).on(one.stream));
  CHECK(world.streams.get<LineageStream>(kLineage).basis == CostBasis::at_least);
  const auto granted = world.when(GrantLease{support::kWorker}).outcome();
  REQUIRE(granted);
  CHECK(granted->front().event.get<LeaseGranted>().agent_total == NanoUsd{});
  for (const Emitted& one : *granted) world.fold(Fact(one.event).on(one.stream));
  world.fold(Fact(AgentInitialized{"old", "m", "2"}));
  ReportTurnResult r = result_with(1'300'000, 302'400'000, 301'100'000);
  r.turn = world.session().turn->turn;
  const auto told = world.when(report(1, r)).outcome();
  REQUIRE(told);
  CHECK(told->front().event.get<SpendingRecorded>() ==
        SpendingRecorded{{}, {{"", {}, {301'100'000}}}, CostBasis::unknown});
}

// ---- what a session's agent launches ----

// The past of kSource alone, which runs.
std::vector<Fact> launcher(std::int64_t budget, std::vector<Payer> payers = {}) {
  std::vector<Fact> past;
  for (Fact& one : with_budget(support::running(), budget)) {
    if (!one.stream.empty()) continue;
    if (auto* opened = one.event.as<SessionOpened>()) {
      opened->session = opened->lineage = kSource;
      opened->name.clear();
      if (!payers.empty()) opened->payers.edit() = payers;
    }
    past.push_back(one.on(support::kSourceStream));
  }
  return past;
}

// kSource is at work, and has launched the session. Its lineage has spent so much of its budget.
std::vector<Fact> launched_after(std::int64_t spent, std::int64_t budget,
                                 std::vector<Fact> past = support::running()) {
  past.front().event.get<SessionOpened>().payers.edit() = {{kSource, {budget}}};
  for (const Fact& one : launcher(budget)) past.push_back(one);
  past.push_back(fact(SessionLaunched{kSession}).on(support::kSourceStream));
  past.push_back(fact(LineageSpent{kSource, {spent}, "agent-session", {spent}}).on(kLineage));
  past.push_back(fact(LineageReserved{kSource, {budget}, {budget}}).on(kLineage));
  return past;
}

Spawn launch_by(SessionId caller) {
  Spawn c;
  c.spec = support::sample_spec(true);
  c.prompt = "Help";
  c.caller = caller;
  return c;
}

// Returns the first event of that type that the decision has for the stream; null: there is none.
template <class E>
const E* find_event(const Decided& decided, std::string_view stream = {}) {
  for (const Emitted& one : *decided) {
    const auto* event = one.event.as<E>();
    if (event != nullptr && one.stream == stream) return event;
  }
  return nullptr;
}

TEST_CASE("what an agent launches counts to its session, and to those that launched that one",
          "[session][R023]") {
  const auto further = support::numbered<base::SessionId>(9);
  const auto decided =
      given(launcher(1000, {{further, {5000}}})).when(launch_by(kSource)).outcome();
  REQUIRE(decided);
  const std::vector<Payer> payers{{kSource, {1000}}, {further, {5000}}};
  CHECK(*find_event<SessionOpened>(decided)->payers == payers);
  CHECK(find_event<SessionLaunched>(decided, support::kSourceStream)->session == kSession);
  CHECK(find_event<LineageSpent>(decided, kLineage)->session == kSource);
  CHECK(find_event<LineageReserved>(decided, kLineage)->budget.value == 1000);
  // One that nobody launched, and one whose launcher this agent does not have.
  for (const SessionId caller : {SessionId{}, further}) {
    const auto alone = given(launcher(1000)).when(launch_by(caller)).outcome();
    REQUIRE(alone);
    CHECK(find_event<SessionOpened>(alone)->payers->empty());
    CHECK(find_event<SessionLaunched>(alone, support::kSourceStream) == nullptr);
  }
}

TEST_CASE("a session that goes on with the one whose agent asks has one budget with it",
          "[session]") {
  Spawn fork = launch_by(kSource);
  fork.resume = kSource;
  fork.is_fork = true;
  const auto decided = given(launcher(1000)).when(fork).outcome();
  REQUIRE(decided);
  CHECK(find_event<SessionOpened>(decided)->payers->empty());
  CHECK(find_event<SessionOpened>(decided)->lineage == kSource);
}

TEST_CASE("sessions launch sessions as long as they have a budget, and not without an end",
          "[session]") {
  std::vector<Payer> payers;
  for (int i = 0; i < static_cast<int>(kPayersMax) - 1; ++i) {
    payers.push_back({support::numbered<base::SessionId>(100 + i), {}});
  }
  CHECK(given(launcher(1000, payers)).when(launch_by(kSource)).outcome());
  payers.push_back({support::numbered<base::SessionId>(200), {}});
  given(launcher(1000, payers))
      .when(launch_by(kSource))
      .then_rejected(RejectionCode::limit_reached);
  auto spent = launcher(1000);
  spent.push_back(fact(SpendingRecorded{turn(1), {{"m", {}, {1000}}}, CostBasis::reported})
                      .on(support::kSourceStream));
  given(spent).when(launch_by(kSource)).then_rejected(RejectionCode::over_budget);
}

TEST_CASE("what a launched session spends can end the work of the one that launched it",
          "[session][R023]") {
  const auto past = launched_after(700, 1000);
  const auto told = [](std::int64_t cost) {
    return fact(LineageSpent{kSession, {cost}, {}, {}, CostBasis::reported}).on(kLineage);
  };
  given(past).when(report(3, spending_of(299))).then(recorded_as(299), told(299));
  given(past)
      .when(report(3, spending_of(300)))
      .then(recorded_as(300), InterruptRequested{turn(1), EndReason::budget}, told(300),
            fact(InterruptRequested{turn(1), EndReason::budget}).on(support::kSourceStream));
}

TEST_CASE("a launched session's agent is told what is left of the least budget", "[session]") {
  for (const auto& [own, least] :
       {std::pair<std::int64_t, std::int64_t>{200, 200}, {0, 300}, {500, 300}}) {
    const auto past = with_budget(launched_after(700, 1000, support::starting()), own);
    const auto decided = given(past).when(GrantLease{support::kWorker}).outcome();
    REQUIRE(decided);
    CHECK(find_event<LeaseGranted>(decided)->budget.value == least);
    CHECK(*find_event<LineageReserved>(decided, kLineage) ==
          LineageReserved{kSession, {1000}, {least}});
  }
}

TEST_CASE("a prompt is refused that nobody would pay for", "[session]") {
  const auto refused =
      given(launched_after(1000, 1000, support::idle())).when(SendPrompt{"more", false}).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::over_budget);
  CHECK_THAT(refused.error().text, Catch::Contains("the session that launched it"));
}

}  // namespace
}  // namespace domain
