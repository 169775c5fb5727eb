// A prompt that is not started in time is dropped, on the record and with a notification.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::given;
using support::kToken;
using support::kWorker;
using support::name_released;
using support::place_released;
using support::report;
using support::turn;
using Past = std::vector<Fact>;

const Time kLimit = support::given().context.now + std::chrono::hours(1);
const PassDeadline kPassed{DeadlineKind::start};

support::Given at(Time now, const Past& past) {
  support::Given world = given(past);
  world.context.wall = now;
  return world;
}

Past starting(bool is_multi_turn) {
  Past past = support::starting(is_multi_turn);
  past[1] = TurnQueued{turn(1), {}, kLimit};
  return past;
}

const Fact kDropped = TurnInterrupted{turn(1), EndReason::expired, {}};

TEST_CASE("a prompt that was not started in time is dropped", "[session][R308]") {
  const Past past = starting(true) + TurnQueued{turn(2)};
  CHECK(next_deadline(lease_state(given(past).session())) == Deadline{DeadlineKind::start, kLimit});
  at(kLimit + base::Duration{-1}, past).when(kPassed).then_nothing();
  const auto after = at(kLimit, past).when(kPassed).then(kDropped);
  REQUIRE(after.session().queue.size() == 1);
  CHECK(after.session().queue.front().turn == turn(2));
  CHECK_FALSE(next_deadline(lease_state(after.session())));
}

TEST_CASE("a server that is back too late drops a prompt before it starts the next",
          "[session][R308]") {
  at(kLimit, starting(true) + TurnQueued{turn(2)})
      .when(GrantLease{kWorker})
      .then(kDropped, LeaseGranted{kWorker, kToken, {}}, TurnStarted{turn(2), kToken});
}

TEST_CASE("a session whose only prompt is dropped ends as it would without it", "[session][R308]") {
  SECTION("a single-turn one fails") {
    at(kLimit, starting(false))
        .when(GrantLease{kWorker})
        .then(kDropped, SessionClosed{SessionStatus::failed, EndReason::expired}, name_released(),
              place_released());
  }
  SECTION("a multi-turn one waits") {
    const auto after = at(kLimit, starting(true)).when(kPassed).then(kDropped, support::parked());
    CHECK(is_waiting_for_input(after.session()));
  }
  SECTION("a closing one is completed") {
    at(kLimit, support::unleased() + TurnQueued{turn(2), {}, kLimit} + CloseRequested{})
        .when(kPassed)
        .then(TurnInterrupted{turn(2), EndReason::expired, {}},
              SessionClosed{SessionStatus::completed, EndReason::none}, name_released(),
              place_released());
  }
}

TEST_CASE("prompts behind a running or failed turn are dropped, too", "[session][R308]") {
  const Past queued = support::running() + TurnQueued{turn(2), {}, kLimit} + TurnQueued{turn(3)};
  const Fact dropped = TurnInterrupted{turn(2), EndReason::expired, {}};
  SECTION("one that waits for the turn") {
    at(kLimit, queued).when(kPassed).then(dropped);
  }
  SECTION("the next one is started if the agent is free") {
    ReportTurnResult done;
    done.turn = turn(1);
    done.basis = CostBasis::reported;
    TurnCost cost;
    cost.basis = CostBasis::reported;
    const auto free = at(kLimit, queued)
                          .when(report(3, done))
                          .then(TurnFinished{turn(1), cost}, dropped, TurnStarted{turn(3), kToken});
    free.when(kPassed).then_nothing();
  }
  SECTION("a pause goes with the last of them") {
    const auto after =
        at(kLimit, support::running() + TurnQueued{turn(2), {}, kLimit} +
                       support::fact(TurnFailed{turn(1), "success", "", 0, {}}).by_report(1, 3) +
                       QueuePaused{EndReason::turn_error})
            .when(kPassed)
            .then(dropped);
    CHECK(after.session().pause == EndReason::none);
  }
}

TEST_CASE("a prompt that was started in time is not dropped", "[session][R308]") {
  const Past past =
      starting(true) + LeaseGranted{kWorker, kToken, {}} + TurnStarted{turn(1), kToken};
  at(kLimit, past).when(kPassed).then_nothing();
  // One that no agent was given has not been started.
  const auto returned =
      at(kLimit, past).when(ExpireLease{kToken}).then(TurnReturned{turn(1)}, LeaseExpired{kToken});
  returned.when(kPassed).then(kDropped, support::parked());
  // One that is tried again has.
  at(kLimit, past + TurnReturned{turn(1), 1}).when(kPassed).then_nothing();
}

TEST_CASE("what is too late is a matter of wall time", "[session][R308]") {
  // Log time can be far ahead of a clock that was set back.
  support::Given ahead = at(kLimit + base::Duration{-1}, starting(true));
  ahead.context.now = kLimit + std::chrono::hours(5);
  ahead.when(kPassed).then_nothing();
  ahead.when(GrantLease{kWorker})
      .then(LeaseGranted{kWorker, kToken, {}}, TurnStarted{turn(1), kToken});
  const base::Duration apart = std::chrono::hours(5);
  CHECK(next_deadline(lease_state(ahead.session()), {}, apart) ==
        Deadline{DeadlineKind::start, kLimit + apart});
}

TEST_CASE("a prompt that comes too late is refused", "[session][R308]") {
  SendPrompt late{"Too late.", false, {}, kLimit};
  at(kLimit, support::idle()).when(late).then_rejected(RejectionCode::deadline_passed);
  at(kLimit + base::Duration{-1}, support::idle())
      .when(late)
      .then(support::fact(TurnQueued{support::kOwnTurn, {}, kLimit}).with("Too late."),
            TurnStarted{support::kOwnTurn, kToken});
  late.start_before = Time{-1};
  given(support::idle()).when(late).then_rejected(RejectionCode::invalid);
}

TEST_CASE("whoever is notified hears of a dropped prompt", "[session][R308]") {
  support::Given world = at(kLimit, starting(true));
  world.context.limits.sinks.fill(false);
  world.context.limits.sinks[static_cast<std::size_t>(NotificationTarget::system)] = true;
  const Decided decided = world.streams.decide(support::as_command(kPassed), world.context);
  REQUIRE(decided);
  REQUIRE(decided->size() == 3);
  const auto* request = decided->back().event.as<NotificationRequested>();
  REQUIRE(request != nullptr);
  CHECK(request->kind == NotificationKind::expired);
}

}  // namespace
}  // namespace domain
