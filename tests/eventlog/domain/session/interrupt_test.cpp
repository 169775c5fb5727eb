// An interrupt ends the named turn, whether it runs or waits, and refuses any other.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::turn;

TEST_CASE("the running turn is asked to end, once", "[session]") {
  given(support::running())
      .when(InterruptTurn{turn(1)})
      .then(InterruptRequested{turn(1)})
      .when(InterruptTurn{turn(1)})
      .then(NothingChanged{"InterruptTurn"});
}

TEST_CASE("a queued turn is interrupted before it begins", "[session]") {
  const auto after = given(support::running(), TurnQueued{turn(2)}, TurnQueued{turn(3)})
                         .when(InterruptTurn{turn(2)})
                         .then(TurnInterrupted{turn(2), EndReason::user, {}});
  REQUIRE(after.session().queue.size() == 1);
  CHECK(after.session().queue.front().turn == turn(3));
  CHECK(after.session().turn->turn == turn(1));
}

TEST_CASE("of several turns that wait the one that is named is interrupted, wherever it stands",
          "[session]") {
  const int named = GENERATE(2, 3, 4, 5);
  const auto after = given(support::running(), TurnQueued{turn(2)}, TurnQueued{turn(3)},
                           TurnQueued{turn(4)}, TurnQueued{turn(5)})
                         .when(InterruptTurn{turn(named)})
                         .then(TurnInterrupted{turn(named), EndReason::user, {}});
  std::vector<TurnId> left;
  for (const QueuedTurn& queued : after.session().queue) left.push_back(queued.turn);
  std::vector<TurnId> expected;
  for (int i = 2; i <= 5; ++i) {
    if (i != named) expected.push_back(turn(i));
  }
  CHECK(left == expected);
  CHECK(lease_state(after.session()).queue == after.session().queue);
}

TEST_CASE("a turn that neither runs nor waits is not interrupted", "[session]") {
  given(support::running())
      .when(InterruptTurn{turn(9)})
      .then_rejected(RejectionCode::turn_not_running);
  given(support::idle())
      .when(InterruptTurn{turn(1)})
      .then_rejected(RejectionCode::turn_not_running);
  given(support::running(), TurnQueued{turn(2)})
      .when(InterruptTurn{turn(2)})
      .then(TurnInterrupted{turn(2), EndReason::user, {}})
      .when(InterruptTurn{turn(2)})
      .then_rejected(RejectionCode::turn_not_running);
}

TEST_CASE("a turn of no session or of an ended one is not interrupted", "[session]") {
  given().when(InterruptTurn{turn(1)}).then_rejected(RejectionCode::not_found);
  given(support::killed()).when(InterruptTurn{turn(1)}).then_rejected(RejectionCode::session_ended);
}

TEST_CASE("a session whose only turn is interrupted before it began is over", "[session]") {
  const auto after = given(support::starting(false))
                         .when(InterruptTurn{turn(1)})
                         .then(TurnInterrupted{turn(1), EndReason::user, {}},
                               SessionClosed{SessionStatus::killed, EndReason::user},
                               support::name_released(), support::place_released());
  CHECK(after.session().status == SessionStatus::killed);
}

TEST_CASE("a closing session whose last turn is interrupted before it began is over", "[session]") {
  given(support::unleased(), TurnQueued{turn(2)}, CloseRequested{})
      .when(InterruptTurn{turn(2)})
      .then(TurnInterrupted{turn(2), EndReason::user, {}},
            SessionClosed{SessionStatus::completed, EndReason::none}, support::name_released(),
            support::place_released());
  given(support::starting(), CloseRequested{})
      .when(InterruptTurn{turn(1)})
      .then(TurnInterrupted{turn(1), EndReason::user, {}},
            SessionClosed{SessionStatus::killed, EndReason::user}, support::name_released(),
            support::place_released());
}

TEST_CASE("a multi-turn session without a turn waits for the next prompt", "[session]") {
  const auto after = given(support::starting())
                         .when(InterruptTurn{turn(1)})
                         .then(TurnInterrupted{turn(1), EndReason::user, {}}, support::parked());
  CHECK(is_live(after.session().status));
}

}  // namespace
}  // namespace domain
