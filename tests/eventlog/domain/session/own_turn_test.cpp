// Turns that an agent begins without a prompt: they stand beside the turn of a prompt, and their
// end ends no session.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kToken;
using support::name_released;
using support::report;
using support::turn;

const TurnId kOwn = turn(50);

ReportOwnTurnStarted begun(TurnId own = kOwn) {
  ReportOwnTurnStarted r;
  r.turn = own;
  r.cause = OwnTurnCause::task;
  r.task = "task-1";
  r.of = turn(1);
  return r;
}

const OwnTurnStarted kStarted{kOwn, OwnTurnCause::task, "task-1", turn(1)};

ReportTurnResult result_of(TurnId of, std::int64_t agent_total) {
  ReportTurnResult r;
  r.turn = of;
  r.subtype = "success";
  r.agent_total = {agent_total};
  r.text = "done";
  return r;
}

TurnCost cost(std::int64_t of_turn, std::int64_t agent_total) {
  return {{}, {of_turn}, {agent_total}, 0, {}};
}

std::vector<support::Fact> at_own_work() {
  return support::idle() + fact(kStarted).by_report(1, 4);
}

TEST_CASE("a turn of the agent's own is recorded with its cause, its result and its cost",
          "[session]") {
  const auto after = given(support::idle())
                         .when(report(4, begun()))
                         .then(kStarted)
                         .when(report(5, result_of(kOwn, 700)))
                         .then(fact(TurnFinished{kOwn, cost(700, 700)}).with("done"));
  CHECK_FALSE(after.session().own_turn.is_set());
  CHECK(after.session().status == SessionStatus::running);
  CHECK(after.session().cost.value == 700);
}

TEST_CASE("a prompt that comes meanwhile is begun at once and gets its own answer", "[session]") {
  given(at_own_work())
      .when(SendPrompt{"Next."})
      .then(fact(TurnQueued{support::kOwnTurn}).with("Next."),
            TurnStarted{support::kOwnTurn, kToken})
      .when(report(5, result_of(kOwn, 700)))
      .then(fact(TurnFinished{kOwn, cost(700, 700)}).with("done"))
      .when(report(6, result_of(support::kOwnTurn, 900)))
      .then(fact(TurnFinished{support::kOwnTurn, cost(200, 900)}).with("done"));
}

TEST_CASE("a failed turn of the agent's own leaves the session as it is", "[session]") {
  ReportTurnResult failed = result_of(kOwn, 0);
  failed.is_error = true;
  failed.subtype = "success";
  failed.terminal_reason = "api_error";
  failed.api_status = 529;
  const auto after =
      given(at_own_work())
          .when(report(5, failed))
          .then(fact(TurnFailed{kOwn, "success", "api_error", 529, cost(0, 0)}).with("done"));
  CHECK(after.session().status == SessionStatus::running);
}

TEST_CASE("a turn of the agent's own is interrupted on request, and the session goes on",
          "[session]") {
  ReportTurnResult aborted = result_of(kOwn, 700);
  aborted.is_error = true;
  const auto asked = given(at_own_work()).when(InterruptTurn{kOwn}).then(InterruptRequested{kOwn});
  CHECK(asked.session().is_own_turn_to_end);
  asked.when(InterruptTurn{kOwn}).then(NothingChanged{std::string(InterruptTurn::kType)});
  const auto after =
      asked.when(report(5, aborted)).then(TurnInterrupted{kOwn, EndReason::user, cost(700, 700)});
  CHECK_FALSE(after.session().is_own_turn_to_end);
  CHECK(after.session().status == SessionStatus::running);
  // The next one is not interrupted, too.
  const auto next = after.when(report(6, begun(turn(51))))
                        .then(OwnTurnStarted{turn(51), OwnTurnCause::task, "task-1", turn(1)});
  CHECK_FALSE(next.session().is_own_turn_to_end);
}

TEST_CASE("a turn of the agent's own that was done before it was interrupted is finished",
          "[session]") {
  given(at_own_work())
      .when(InterruptTurn{kOwn})
      .then(InterruptRequested{kOwn})
      .when(report(5, result_of(kOwn, 700)))
      .then(fact(TurnFinished{kOwn, cost(700, 700)}).with("done"))
      .when(InterruptTurn{kOwn})
      .then_rejected(RejectionCode::turn_not_running);
}

TEST_CASE("a prompt that interrupts ends what the agent does by itself", "[session]") {
  SendPrompt now{"Now."};
  now.is_interrupting = true;
  const auto sent = given(at_own_work())
                        .when(now)
                        .then(fact(TurnQueued{support::kOwnTurn}).with("Now."),
                              InterruptRequested{kOwn}, TurnStarted{support::kOwnTurn, kToken});
  CHECK(sent.session().is_own_turn_to_end);
  CHECK_FALSE(sent.session().turn->is_interrupt_requested);
}

TEST_CASE("an agent that ends with its interrupted turn has done as it was told", "[session]") {
  ReportAgentExited exited;
  exited.exit_code = 1;
  exited.has_run = true;
  given(at_own_work(), InterruptRequested{kOwn})
      .when(report(5, exited))
      .then(AgentExited{1, 0}, LeaseReleased{kToken},
            TurnInterrupted{kOwn, EndReason::user, booked({})}, support::parked());
}

TEST_CASE("an interrupt of its own turn kills a session of one prompt", "[session]") {
  ReportTurnResult aborted = result_of(kOwn, 700);
  aborted.is_error = true;
  given(support::running(false), kStarted, fact(TurnFinished{turn(1), {}}).by_report(1, 3),
        InterruptRequested{kOwn})
      .when(report(4, aborted))
      .then(TurnInterrupted{kOwn, EndReason::user, cost(700, 700)},
            SessionClosed{SessionStatus::killed, EndReason::user}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("closing waits for a turn of the agent's own", "[session]") {
  given(at_own_work())
      .when(CloseSession{})
      .then(CloseRequested{})
      .when(report(5, result_of(kOwn, 0)))
      .then(fact(TurnFinished{kOwn, cost(0, 0)}).with("done"),
            SessionClosed{SessionStatus::completed, EndReason::none}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("whatever ends the session or the agent ends a turn of the agent's own", "[session]") {
  const auto interrupted = [](EndReason reason) {
    return TurnInterrupted{kOwn, reason, booked({})};
  };
  given(at_own_work())
      .when(KillSession{})
      .then(interrupted(EndReason::user), SessionClosed{SessionStatus::killed, EndReason::user},
            name_released(), support::place_released_with_lease());
  given(at_own_work())
      .when(ExpireLease{kToken})
      .then(interrupted(EndReason::worker_lost), LeaseExpired{kToken}, support::parked());
  given(at_own_work())
      .when(report(5, ReportAgentExited{1, 0, {}}))
      .then(AgentExited{1, 0}, LeaseReleased{kToken}, interrupted(EndReason::agent_exited),
            SessionClosed{SessionStatus::failed, EndReason::agent_exited}, name_released(),
            support::place_released());
}

TEST_CASE("an agent that exits while it works by itself was not done", "[session]") {
  given(at_own_work(), CloseRequested{})
      .when(report(5, ReportAgentExited{}))
      .then(AgentExited{}, LeaseReleased{kToken},
            TurnInterrupted{kOwn, EndReason::agent_exited, booked({})},
            SessionClosed{SessionStatus::failed, EndReason::agent_exited}, name_released(),
            support::place_released());
}

TEST_CASE("a single-turn session is completed once the agent's own turn is over, too",
          "[session]") {
  given(support::running(false), kStarted)
      .when(report(3, result_of(turn(1), 0)))
      .then(fact(TurnFinished{turn(1), cost(0, 0)}).with("done"))
      .when(report(4, result_of(kOwn, 0)))
      .then(fact(TurnFinished{kOwn, cost(0, 0)}).with("done"),
            SessionClosed{SessionStatus::completed, EndReason::none}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("a failed turn of the agent's own fails a single-turn session", "[session]") {
  ReportTurnResult failed = result_of(kOwn, 0);
  failed.is_error = true;
  given(support::running(false), fact(TurnFinished{turn(1), {}}).by_report(1, 3),
        fact(TasksChanged{1}).by_report(1, 4), fact(kStarted).by_report(1, 5))
      .when(report(6, failed))
      .then(fact(TurnFailed{kOwn, "success", "", 0, cost(0, 0)}).with("done"),
            SessionClosed{SessionStatus::failed, EndReason::turn_error}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("a turn of the agent's own that spends the budget fails a single-turn session with that",
          "[session]") {
  ReportTurnResult failed = result_of(kOwn, 0);
  failed.is_error = true;
  failed.subtype = "error_max_budget_usd";
  given(support::running(false), fact(TurnFinished{turn(1), {}}).by_report(1, 3),
        fact(kStarted).by_report(1, 4))
      .when(report(5, failed))
      .then(fact(TurnFailed{kOwn, "error_max_budget_usd", "", 0, cost(0, 0)}).with("done"),
            SessionClosed{SessionStatus::failed, EndReason::budget}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("an own turn that cannot be one is recorded as ignored", "[session]") {
  const auto ignored = ReportIgnored{"OwnTurnStarted"};
  given(at_own_work()).when(report(5, begun(turn(51)))).then(ignored);
  given(support::idle()).when(report(4, begun(TurnId{}))).then(ignored);
  given(support::running()).when(report(3, begun(turn(1)))).then(ignored);
  given(support::killed()).when(report(3, begun())).then(ignored);
}

TEST_CASE("a result of an own turn that is over changes nothing", "[session]") {
  given(at_own_work(), TurnFinished{kOwn, {}})
      .when(report(5, result_of(kOwn, 700)))
      .then(ReportIgnored{"TurnResult"});
}

TEST_CASE("an own turn cannot begin without an agent, nor while another is under way",
          "[session]") {
  const auto is_consistent = [](const std::vector<support::Fact>& past) {
    return given(past).is_consistent();
  };
  CHECK(is_consistent(at_own_work()));
  CHECK_FALSE(is_consistent(at_own_work() + OwnTurnStarted{turn(51), {}, {}, {}}));
  CHECK_FALSE(is_consistent(support::unleased() + kStarted));
  CHECK_FALSE(is_consistent(support::idle() + OwnTurnStarted{}));
  CHECK_FALSE(is_consistent(at_own_work() + SessionClosed{SessionStatus::killed, EndReason::user}));
}

}  // namespace
}  // namespace domain
