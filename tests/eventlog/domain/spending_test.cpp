// The cost of a turn is told while it runs, by its result, or after its end.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kToken;
using support::report;
using support::turn;

Spending of_opus(std::int64_t tokens, std::int64_t cost) {
  return {{"opus", {tokens, tokens, 0, 0}, {cost}}};
}

ReportSpending told_now(Spending spent, TurnId of = turn(1)) {
  return {of, std::move(spent)};
}

ReportTurnResult result_with(Spending spent) {
  ReportTurnResult r;
  r.turn = turn(1);
  r.subtype = "success";
  r.agent_total = {900};
  r.text = "done";
  r.spent = std::move(spent);
  r.basis = CostBasis::reported;
  r.claimed = {550};
  return r;
}

const SpendingRecorded kBooked{turn(1), of_opus(10, 300), CostBasis::reported};

TEST_CASE("what a turn spends is on the record while it runs", "[session]") {
  const auto after = given(support::running())
                         .when(report(3, told_now(of_opus(10, 300))))
                         .then(kBooked)
                         .when(report(4, told_now(of_opus(1, 30))))
                         .then(SpendingRecorded{turn(1), of_opus(1, 30), CostBasis::reported});
  CHECK(after.session().cost.value == 330);
  CHECK(after.session().usage == Usage{11, 11, 0, 0});
  CHECK(after.session().turn_spent == of_opus(11, 330));
  CHECK(after.session().turn);
}

TEST_CASE("a result adds the rest, and tells the whole turn", "[session]") {
  TurnCost cost{{15, 15, 0, 0}, {800}, {900}, 0, {}, CostBasis::reported};
  cost.spent = of_opus(15, 800);
  cost.booked = of_opus(10, 300);
  cost.claimed = {850};
  const auto after = given(support::running(), fact(kBooked).by_report(1, 3))
                         .when(report(4, result_with(of_opus(5, 500))))
                         .then(fact(TurnFinished{turn(1), cost}).with("done"));
  CHECK(after.session().cost.value == 800);
  CHECK(after.session().usage == Usage{15, 15, 0, 0});
  CHECK(after.session().turn_spent->empty());
  CHECK(after.session().disputed.value == 50);
  CHECK(after.session().agent_total.value == 900);
  CHECK(after.session().basis == CostBasis::reported);
}

TEST_CASE("a turn that ends without a result has cost what was told until then", "[session]") {
  const TurnCost cost = booked(of_opus(10, 300));
  CHECK(cost.basis == CostBasis::at_least);
  const auto past = support::running() + fact(kBooked).by_report(1, 3);
  SECTION("its session is killed") {
    const auto after = given(past)
                           .when(KillSession{})
                           .then(TurnInterrupted{turn(1), EndReason::user, cost},
                                 SessionClosed{SessionStatus::killed, EndReason::user},
                                 support::name_released(), support::place_released_with_lease());
    CHECK(after.session().cost.value == 300);
    // Later figures of its agent count, also if they come with a result that ends nothing.
    const auto later =
        after.when(report(4, told_now(of_opus(1, 40))))
            .then(SpendingRecorded{turn(1), of_opus(1, 40), CostBasis::reported})
            .when(report(5, result_with(of_opus(2, 60))))
            .then(SpendingRecorded{turn(1), of_opus(2, 60), CostBasis::reported, {900}});
    CHECK(later.session().cost.value == 400);
    CHECK(running_total(later.session()).value == 900);
    later.when(report(6, result_with({}))).then(ReportIgnored{"TurnResult"});
    CHECK(later.session().usage == Usage{13, 13, 0, 0});
  }
  SECTION("its worker is lost") {
    const auto after = given(past)
                           .when(ExpireLease{kToken, turn(1)})
                           .then(TurnInterrupted{turn(1), EndReason::worker_lost, cost},
                                 LeaseExpired{kToken}, support::parked());
    CHECK(after.session().cost.value == 300);
    CHECK(after.session().basis == CostBasis::at_least);
  }
  SECTION("its agent dies") {
    ReportAgentExited exited;
    exited.signal = 9;
    exited.has_run = true;
    exited.given = turn(1);
    given(past)
        .when(report(4, exited))
        .then(AgentExited{0, 9}, LeaseReleased{kToken},
              TurnInterrupted{turn(1), EndReason::agent_exited, cost}, support::parked());
  }
}

TEST_CASE("a turn that ends untold may have cost something", "[session]") {
  const auto killed = given(support::running()).when(KillSession{}).outcome();
  REQUIRE(killed);
  CHECK(killed->front().event.get<TurnInterrupted>().cost.basis == CostBasis::at_least);
  const auto after =
      given(support::running() + TurnInterrupted{turn(1), EndReason::user, booked({})});
  CHECK(after.session().basis == CostBasis::at_least);
  CHECK(after.session().cost.value == 0);
  // A model without a price.
  CHECK(booked({{"m", {1, 0, 0, 0}, {}, true}}).basis == CostBasis::unknown);
}

TEST_CASE("a turn of the agent's own has its own cost", "[session]") {
  const auto past = support::idle() + OwnTurnStarted{turn(50), OwnTurnCause::task, "t", turn(1)} +
                    SpendingRecorded{turn(50), of_opus(10, 300), CostBasis::reported};
  ReportTurnResult own = result_with(of_opus(5, 500));
  own.turn = turn(50);
  TurnCost cost{{15, 15, 0, 0}, {800}, {900}, 0, {}, CostBasis::reported};
  cost.spent = of_opus(15, 800);
  cost.booked = of_opus(10, 300);
  cost.claimed = {850};
  const auto after =
      given(past).when(report(4, own)).then(fact(TurnFinished{turn(50), cost}).with("done"));
  CHECK(after.session().own_spent->empty());
  CHECK(after.session().cost.value == 800);
}

TEST_CASE("each kind of token that was booked is left out of the rest", "[session]") {
  TurnCost cost;
  cost.usage = {10, 20, 30, 40};
  cost.cost = {500};
  cost.booked = {{"opus", {1, 2, 3, 4}, {50}}};
  const UnbookedCost rest = unbooked(cost);
  CHECK(rest.usage == Usage{9, 18, 27, 36});
  CHECK(rest.cost.value == 450);
}

TEST_CASE("spending of no turn is not that of the agent's next own one", "[session]") {
  const auto after = given(support::idle(), SpendingRecorded{{}, of_opus(10, 300)})
                         .when(CloseSession{})
                         .then(CloseRequested{});
  CHECK(after.session().own_spent->empty());
}

TEST_CASE("spending between two turns is the session's", "[session]") {
  const auto after =
      given(support::idle()).when(report(4, told_now(of_opus(10, 300)))).then(kBooked);
  CHECK(after.session().cost.value == 300);
  CHECK(after.session().turn_spent->empty());
  CHECK(after.session().own_spent->empty());
}

TEST_CASE("a report of no spending is ignored, and impossible figures do not count", "[session]") {
  given(support::running()).when(report(3, told_now({}))).then(ReportIgnored{"Spending"});
  given(support::running())
      .when(report(3, told_now({{"opus", {-1, 2, -3, base::kIntegerLimit}, {-4}}})))
      .then(SpendingRecorded{
          turn(1), {{"opus", {0, 2, 0, base::kIntegerLimit - 1}, {0}}}, CostBasis::reported});
}

TEST_CASE("models beyond a number are added up together", "[session]") {
  Spending many;
  for (int i = 0; i < 40; ++i) many.push_back({"model-" + std::to_string(i), {1, 0, 0, 0}, {10}});
  const Spending kept = proper(many);
  CHECK(kept.size() == kModelsMax);
  CHECK(kept.back().model.empty());
  CHECK(kept.back().usage.input_tokens == 25);
  CHECK(usage_of(kept).input_tokens == 40);
  CHECK(cost_of(kept).value == 400);
}

// ---- what was spent where nobody listened ----

// The agent's own session had cost 900 when its process ended.
std::vector<support::Fact> resumed_at(std::optional<NanoUsd> total) {
  auto past = support::running() + fact(TurnFinished{turn(1), {{}, {900}, {900}}}).by_report(1, 3) +
              LeaseReleased{kToken} + TurnQueued{turn(2)} +
              LeaseGranted{support::kWorker, {2}, "agent-session", {}, total} +
              TurnStarted{turn(2), {2}};
  return past;
}

ReportTurnResult first_result(std::int64_t base) {
  ReportTurnResult r = result_with(of_opus(1, 100'000));
  r.turn = turn(2);
  r.agent_base = {base};
  r.agent_total = {base + 100'000};
  r.claimed = {100'000};
  return r;
}

TEST_CASE("a total that grew while nobody listened is booked once, as unknown", "[session]") {
  const auto after_all = [](std::optional<std::int64_t> known, std::int64_t base) {
    const auto total = known ? std::optional(NanoUsd{*known}) : std::nullopt;
    const auto decided = given(resumed_at(total)).when(report(1, first_result(base), 2)).outcome();
    REQUIRE(decided);
    std::vector<std::int64_t> unheard;
    for (const Emitted& one : *decided) {
      const auto* booked = one.event.as<SpendingRecorded>();
      if (booked == nullptr) continue;
      CHECK(booked->basis == CostBasis::unknown);
      CHECK_FALSE(booked->turn.is_set());
      unheard.push_back(cost_of(booked->spent).value);
    }
    return unheard;
  };
  using Costs = std::vector<std::int64_t>;
  CHECK(after_all(5'000'000, 7'000'000) == Costs{2'000'000});
  CHECK(after_all(5'000'000, 5'000'000) == Costs{});
  CHECK(after_all(5'000'000, 5'000'001) == Costs{});  // rounded
  CHECK(after_all(5'000'000, 3'000'000) == Costs{});  // an earlier process was killed
  CHECK(after_all(5'000'000, 5'100'000) == Costs{100'000});
  CHECK(after_all(5'000'000, -1) == Costs{});  // the agent does not say
  CHECK(after_all(0, 5'000'900) == Costs{5'000'900});
  CHECK(after_all(std::nullopt, 5'000'000) == Costs{});  // nobody knows
}

TEST_CASE("the total of a killed process is not taken for spent elsewhere", "[session]") {
  // 300 were told beyond the total of the last result; the agent had saved them at its end.
  auto past = support::running() + fact(TurnFinished{turn(1), {{}, {900}, {900}}}).by_report(1, 3) +
              TurnQueued{turn(2)} + TurnStarted{turn(2), kToken} +
              SpendingRecorded{turn(2), of_opus(1, 300'000), CostBasis::reported} +
              TurnInterrupted{turn(2), EndReason::agent_exited, booked(of_opus(1, 300'000))} +
              LeaseReleased{kToken};
  ReportTurnResult r = first_result(300'900);
  r.turn = turn(3);
  const auto decided =
      given(past + TurnQueued{turn(3)})
          .when(GrantLease{support::kWorker})
          .then(LeaseGranted{support::kWorker, {2}, "agent-session", {}, {{300'900}}},
                TurnStarted{turn(3), {2}})
          .when(report(1, r, 2))
          .outcome();
  REQUIRE(decided);
  CHECK(decided->size() == 1);
}

}  // namespace
}  // namespace domain
