// A close lets accepted work finish before the session is completed; a repeated one changes
// nothing.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::given;
using support::name_released;
using support::place_released;
using support::report;
using support::turn;

const SessionClosed kCompleted{SessionStatus::completed, EndReason::none};

TEST_CASE("a close lets the running turn finish, then the session is completed",
          "[session][R056]") {
  ReportTurnResult result;
  result.turn = turn(1);
  const auto after = given(support::running())
                         .when(CloseSession{})
                         .then(CloseRequested{})
                         .when(report(3, result))
                         .then(TurnFinished{turn(1), {}}, kCompleted, name_released(),
                               support::place_released_with_lease());
  CHECK(after.session().status == SessionStatus::completed);
}

TEST_CASE("a close lets the queue run out first", "[session]") {
  ReportTurnResult result;
  result.turn = turn(1);
  given(support::running(), TurnQueued{turn(2)})
      .when(CloseSession{})
      .then(CloseRequested{})
      .when(report(3, result))
      .then(TurnFinished{turn(1), {}}, TurnStarted{turn(2), support::kToken});
}

TEST_CASE("a close of an idle session waits for its agent process to end", "[session][R056]") {
  given(support::idle())
      .when(CloseSession{})
      .then(CloseRequested{})
      .when(report(4, ReportAgentExited{}))
      .then(AgentExited{}, LeaseReleased{support::kToken}, kCompleted, name_released(),
            place_released());
}

TEST_CASE("a closed session whose last turn was interrupted is completed", "[session]") {
  ReportTurnResult result;
  result.turn = turn(1);
  result.is_error = true;
  given(support::running(), InterruptRequested{turn(1)})
      .when(report(3, result))
      .then(TurnInterrupted{turn(1), EndReason::user, {}})
      .when(CloseSession{})
      .then(CloseRequested{})
      .when(report(4, ReportAgentExited{1, 0, {}}))
      .then(AgentExited{1, 0}, LeaseReleased{support::kToken}, kCompleted, name_released(),
            place_released());
}

TEST_CASE("a close of a session without worker and turns completes it at once", "[session]") {
  given(support::unleased())
      .when(CloseSession{})
      .then(CloseRequested{}, kCompleted, name_released(), place_released());
  given(support::starting()).when(CloseSession{}).then(CloseRequested{});
}

TEST_CASE("a close of a closing or an ended session changes nothing", "[session]") {
  given(support::running(), CloseRequested{})
      .when(CloseSession{})
      .then(NothingChanged{"CloseSession"});
  given(support::killed()).when(CloseSession{}).then(NothingChanged{"CloseSession"});
}

TEST_CASE("there is no session to close", "[session]") {
  given().when(CloseSession{}).then_rejected(RejectionCode::not_found);
}

}  // namespace
}  // namespace domain
