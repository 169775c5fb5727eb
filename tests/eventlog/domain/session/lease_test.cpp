// Leases: one at a time, tokens only grow, and the loss of a worker ends its turn.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kToken;
using support::kWorker;
using support::name_released;
using support::place_released;
using support::turn;

constexpr FencingToken kSecond{2};

TEST_CASE("the first lease has token 1 and starts the first turn", "[session]") {
  const auto after = given(support::starting())
                         .when(GrantLease{kWorker})
                         .then(LeaseGranted{kWorker, kToken, {}}, TurnStarted{turn(1), kToken});
  CHECK(after.session().status == SessionStatus::starting);
  CHECK(after.session().lease->worker == kWorker);
}

TEST_CASE("a later lease has a greater token and goes on with the agent's session", "[session]") {
  const auto after = given(support::unleased(), TurnQueued{turn(2)})
                         .when(GrantLease{kWorker})
                         .then(LeaseGranted{kWorker, kSecond, "agent-session", {}, NanoUsd{}},
                               TurnStarted{turn(2), kSecond}, support::unparked());
  CHECK(after.session().lease->report_sequence == 0);
  CHECK(after.session().lease->pid == 0);
}

TEST_CASE("a session without a prompt to start gets no lease", "[session]") {
  given(support::unleased())
      .when(GrantLease{kWorker})
      .then_rejected(RejectionCode::turn_not_running);
}

TEST_CASE("a turn whose prompt is lost ends, and the next one begins", "[session]") {
  TurnFailed failed;
  failed.turn = turn(1);
  failed.subtype = "prompt_lost";
  const std::string text =
      "the text of the prompt is not in the log any more, as after a salvage; the agent was not "
      "given the turn, send it again";
  const auto world = given(support::leased(), TurnQueued{turn(2)});
  const GiveUpContent lost{world.session().turn->prompt};
  world.when(lost)
      .then(fact(failed).with(text), TurnStarted{turn(2), kToken})
      .when(lost)
      .then_nothing();
  given(support::leased(false))
      .when(lost)
      .then(fact(failed).with(text), SessionClosed{SessionStatus::failed, EndReason::turn_error},
            name_released(), support::place_released_with_lease());
  given(support::killed()).when(lost).then_nothing();
}

TEST_CASE("a closing session whose last prompt is lost fails, others wait for the next one",
          "[session]") {
  TurnFailed failed;
  failed.turn = turn(1);
  failed.subtype = "prompt_lost";
  const std::string text =
      "the text of the prompt is not in the log any more, as after a salvage; the agent was not "
      "given the turn, send it again";
  const auto closing = given(support::leased(), CloseRequested{});
  const GiveUpContent lost{closing.session().turn->prompt};
  closing.when(lost).then(fact(failed).with(text),
                          SessionClosed{SessionStatus::failed, EndReason::turn_error},
                          name_released(), support::place_released_with_lease());
  const auto after = given(support::leased()).when(lost).then(fact(failed).with(text));
  CHECK(is_live(after.session().status));
  given(support::leased(), TurnQueued{turn(2)}, CloseRequested{})
      .when(lost)
      .then(fact(failed).with(text), TurnStarted{turn(2), kToken});
}

TEST_CASE("a session whose system prompt is lost fails, and what waits is not begun", "[session]") {
  TurnFailed failed;
  failed.turn = turn(1);
  failed.subtype = "system_prompt_lost";
  const std::string text =
      "the text of the system prompt is not in the log any more, as after a salvage; the agent was "
      "not given the turn, send it again";
  const SessionClosed closed{SessionStatus::failed, EndReason::turn_error};
  const auto world = given(support::leased(), TurnQueued{turn(2)});
  world.when(GiveUpContent{world.session().opened})
      .then(fact(failed).with(text), TurnInterrupted{turn(2), EndReason::session_ended, {}}, closed,
            name_released(), support::place_released_with_lease());
  const auto idle = given(support::idle());
  idle.when(GiveUpContent{idle.session().opened})
      .then(closed, name_released(), support::place_released_with_lease());
  // Another event is not to be given up.
  idle.when(GiveUpContent{idle.session().opened.next()}).then_nothing();
  world.when(GiveUpContent{world.session().queue.front().prompt}).then_nothing();
}

TEST_CASE("a lease starts only the first of the waiting turns", "[session]") {
  given(support::starting(), TurnQueued{turn(2)})
      .when(GrantLease{kWorker})
      .then(LeaseGranted{kWorker, kToken, {}}, TurnStarted{turn(1), kToken});
}

TEST_CASE("a session has one lease at a time", "[session]") {
  given(support::leased()).when(GrantLease{kWorker}).then_rejected(RejectionCode::lease_held);
  given(support::starting())
      .when(GrantLease{kWorker})
      .then(LeaseGranted{kWorker, kToken, {}}, TurnStarted{turn(1), kToken})
      .when(GrantLease{kWorker})
      .then_rejected(RejectionCode::lease_held);
}

TEST_CASE("no lease is granted on no session or on an ended one", "[session]") {
  given().when(GrantLease{kWorker}).then_rejected(RejectionCode::not_found);
  given(support::killed()).when(GrantLease{kWorker}).then_rejected(RejectionCode::session_ended);
}

TEST_CASE("when a worker is lost its turn ends and a multi-turn session lives on",
          "[session][R308][R309]") {
  const auto after =
      given(support::running(), TurnQueued{turn(2)})
          .when(ExpireLease{kToken, turn(1)})
          .then(TurnInterrupted{turn(1), EndReason::worker_lost, booked({})}, LeaseExpired{kToken});
  CHECK(after.session().status == SessionStatus::running);
  CHECK(after.session().queue.size() == 1);
  CHECK_FALSE(after.session().lease);
  given(support::idle()).when(ExpireLease{kToken}).then(LeaseExpired{kToken}, support::parked());
}

TEST_CASE("when a worker is lost with all that a session had to do the session fails",
          "[session]") {
  const SessionClosed failed{SessionStatus::failed, EndReason::worker_lost};
  given(support::running(false))
      .when(ExpireLease{kToken, turn(1)})
      .then(TurnInterrupted{turn(1), EndReason::worker_lost, booked({})}, LeaseExpired{kToken},
            failed, name_released(), place_released());
  given(support::running(), CloseRequested{})
      .when(ExpireLease{kToken, turn(1)})
      .then(TurnInterrupted{turn(1), EndReason::worker_lost, booked({})}, LeaseExpired{kToken},
            failed, name_released(), place_released());
}

TEST_CASE("the lease of an ended session expires without a further end", "[session]") {
  given(support::killed()).when(ExpireLease{kToken}).then(LeaseExpired{kToken}, support::settled());
}

TEST_CASE("a lease that is not held does not expire", "[session]") {
  given().when(ExpireLease{kToken}).then_rejected(RejectionCode::stale_token);
  given(support::starting()).when(ExpireLease{kToken}).then_rejected(RejectionCode::stale_token);
  given(support::running()).when(ExpireLease{kSecond}).then_rejected(RejectionCode::stale_token);
  given(support::idle())
      .when(ExpireLease{kToken})
      .then(LeaseExpired{kToken}, support::parked())
      .when(ExpireLease{kToken})
      .then_rejected(RejectionCode::stale_token);
}

TEST_CASE("an expired token never comes back", "[session]") {
  given(support::unleased(), LeaseGranted{kWorker, kSecond, {}})
      .when(ExpireLease{kToken})
      .then_rejected(RejectionCode::stale_token);
}

}  // namespace
}  // namespace domain
