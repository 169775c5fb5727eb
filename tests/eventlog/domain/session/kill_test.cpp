// A kill ends a session in any state at once; its lease stays until the worker ends the process.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::given;
using support::kToken;
using support::name_released;
using support::place_released;
using support::turn;

const SessionClosed kKilled{SessionStatus::killed, EndReason::user};

TEST_CASE("a killed session's turn ends first, and its name and place are free",
          "[session][R039]") {
  const auto after = given(support::running())
                         .when(KillSession{})
                         .then(TurnInterrupted{turn(1), EndReason::user, booked({})}, kKilled,
                               name_released(), support::place_released_with_lease());
  CHECK(after.session().status == SessionStatus::killed);
  CHECK(after.session().end_reason == EndReason::user);
  CHECK(after.session().lease);  // the worker must still end the agent process
  CHECK(after.registry().names.empty());
  CHECK(after.admission().live.empty());
}

TEST_CASE("a kill ends what is queued, in order", "[session]") {
  given(support::running(), TurnQueued{turn(2)}, TurnQueued{turn(3)})
      .when(KillSession{})
      .then(TurnInterrupted{turn(1), EndReason::user, booked({})},
            TurnInterrupted{turn(2), EndReason::session_ended, {}},
            TurnInterrupted{turn(3), EndReason::session_ended, {}}, kKilled, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("a session is killed before it has a worker, while idle, and while it closes",
          "[session][R011][R024]") {
  given(support::starting())
      .when(KillSession{})
      .then(TurnInterrupted{turn(1), EndReason::session_ended, {}}, kKilled, name_released(),
            place_released());
  given(support::idle())
      .when(KillSession{})
      .then(kKilled, name_released(), support::place_released_with_lease());
  given(support::idle(), CloseRequested{})
      .when(KillSession{})
      .then(kKilled, name_released(), support::place_released_with_lease());
}

TEST_CASE("to kill a finished session is accepted and changes nothing", "[session][R025]") {
  given(support::killed()).when(KillSession{}).then(NothingChanged{"KillSession"});
  for (const auto status : {SessionStatus::completed, SessionStatus::failed}) {
    const auto after =
        given(support::idle(), SessionClosed{status, EndReason::none}).when(KillSession{});
    auto repeated = after;
    CHECK(repeated.then(NothingChanged{"KillSession"}).session().status == status);
  }
}

TEST_CASE("a repeated kill changes nothing", "[session]") {
  given(support::idle())
      .when(KillSession{})
      .then(kKilled, name_released(), support::place_released_with_lease())
      .when(KillSession{})
      .then(NothingChanged{"KillSession"});
}

TEST_CASE("there is no session to kill", "[session][R039]") {
  given().when(KillSession{}).then_rejected(RejectionCode::not_found);
}

}  // namespace
}  // namespace domain
