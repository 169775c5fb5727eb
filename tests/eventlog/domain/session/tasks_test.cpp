// Tasks that an agent runs in the background: a session is not over before they are, unless that is
// asked for or takes too long.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kToken;
using support::name_released;
using support::place_released_with_lease;
using support::report;
using support::turn;

ReportTurnResult answer() {
  ReportTurnResult r;
  r.turn = turn(1);
  r.subtype = "success";
  return r;
}

const TurnFinished kFinished{turn(1), {}};

// The agent has started two tasks within turn 1, by report 3.
std::vector<support::Fact> with_tasks(bool is_multi_turn = true) {
  return support::running(is_multi_turn) + fact(TasksChanged{2}).by_report(1, 3);
}

// Turn 1 is answered, by report 4, and its tasks run on.
std::vector<support::Fact> answered(bool is_multi_turn = true) {
  return with_tasks(is_multi_turn) + fact(kFinished).by_report(1, 4);
}

TEST_CASE("tasks are recorded with what they are to do, and counted", "[session]") {
  const auto after = given(support::running())
                         .when(report(3, ReportTasksChanged{2, "Wait; Look"}))
                         .then(fact(TasksChanged{2}).with("Wait; Look"));
  CHECK(after.session().tasks == 2);
  CHECK(lease_state(after.session()).tasks == 2);
}

TEST_CASE("a single-turn session is completed once its tasks are over", "[session]") {
  given(with_tasks(false))
      .when(report(4, answer()))
      .then(kFinished)
      .when(report(5, ReportTasksChanged{1, "Look"}))
      .then(fact(TasksChanged{1}).with("Look"))
      .when(report(6, ReportTasksChanged{}))
      .then(TasksChanged{}, SessionClosed{SessionStatus::completed, EndReason::none},
            name_released(), place_released_with_lease());
}

TEST_CASE("tasks that are not waited for any longer fail a single-turn session", "[session]") {
  given(answered(false))
      .when(report(5, ReportTasksChanged{0, "", true}))
      .then(TasksChanged{0, true},
            SessionClosed{SessionStatus::failed, EndReason::tasks_unfinished}, name_released(),
            place_released_with_lease());
}

TEST_CASE("a multi-turn session stays when its tasks are over, and takes prompts while they run",
          "[session]") {
  given(answered())
      .when(SendPrompt{"Next."})
      .then(fact(TurnQueued{support::kOwnTurn}).with("Next."),
            TurnStarted{support::kOwnTurn, kToken});
  const auto after = given(answered()).when(report(5, ReportTasksChanged{})).then(TasksChanged{});
  CHECK(after.session().status == SessionStatus::running);
  CHECK(after.session().tasks == 0);
}

TEST_CASE("closing waits for tasks", "[session]") {
  given(answered())
      .when(CloseSession{})
      .then(CloseRequested{})
      .when(report(5, ReportTasksChanged{}))
      .then(TasksChanged{}, SessionClosed{SessionStatus::completed, EndReason::none},
            name_released(), place_released_with_lease());
  given(with_tasks(), CloseRequested{}).when(report(4, answer())).then(kFinished);
  given(answered(), CloseRequested{})
      .when(report(5, ReportTasksChanged{0, "", true}))
      .then(TasksChanged{0, true},
            SessionClosed{SessionStatus::failed, EndReason::tasks_unfinished}, name_released(),
            place_released_with_lease());
}

TEST_CASE("closing at once waits for prompts, and not for tasks", "[session]") {
  const SessionClosed completed{SessionStatus::completed, EndReason::none};
  given(answered())
      .when(CloseSession{true})
      .then(CloseRequested{true}, completed, name_released(), place_released_with_lease());
  given(answered(), CloseRequested{})
      .when(CloseSession{true})
      .then(CloseRequested{true}, completed, name_released(), place_released_with_lease());
  given(with_tasks())
      .when(CloseSession{true})
      .then(CloseRequested{true})
      .when(report(4, answer()))
      .then(kFinished, completed, name_released(), place_released_with_lease());
}

TEST_CASE("closing at once leaves an agent without tasks the time to end", "[session]") {
  given(support::idle()).when(CloseSession{true}).then(CloseRequested{true});
}

TEST_CASE("closing at once ends a turn of the agent's own", "[session]") {
  const OwnTurnStarted own{turn(50), OwnTurnCause::task, "task-1", turn(1)};
  given(support::idle(), fact(own).by_report(1, 4))
      .when(CloseSession{true})
      .then(CloseRequested{true}, TurnInterrupted{turn(50), EndReason::session_ended, booked({})},
            SessionClosed{SessionStatus::completed, EndReason::none}, name_released(),
            place_released_with_lease());
}

TEST_CASE("asking twice to close changes nothing the second time", "[session]") {
  given(answered(), CloseRequested{}).when(CloseSession{}).then(NothingChanged{"CloseSession"});
  given(with_tasks(), CloseRequested{true})
      .when(CloseSession{true})
      .then(NothingChanged{"CloseSession"});
  given(with_tasks(), CloseRequested{true})
      .when(CloseSession{})
      .then(NothingChanged{"CloseSession"});
}

TEST_CASE("giving tasks up ends the turn that the agent has begun because of one", "[session]") {
  const OwnTurnStarted own{turn(50), OwnTurnCause::task, "task-1", turn(1)};
  given(answered(false), fact(own).by_report(1, 5))
      .when(report(6, ReportTasksChanged{0, "", true}))
      .then(TasksChanged{0, true}, TurnInterrupted{turn(50), EndReason::session_ended, booked({})},
            SessionClosed{SessionStatus::failed, EndReason::tasks_unfinished}, name_released(),
            place_released_with_lease());
}

TEST_CASE("withdrawing the last prompt of a closing session leaves it to its agent's own turn",
          "[session]") {
  const OwnTurnStarted own{turn(50), OwnTurnCause::task, "task-1", turn(1)};
  given(support::idle(), fact(own).by_report(1, 4), TurnQueued{turn(2)},
        QueuePaused{EndReason::turn_error}, CloseRequested{})
      .when(InterruptTurn{turn(2)})
      .then(TurnInterrupted{turn(2), EndReason::user, {}});
}

TEST_CASE("withdrawing the last prompt of a session that closes at once ends it", "[session]") {
  given(answered(), TurnQueued{turn(2)}, QueuePaused{EndReason::turn_error}, CloseRequested{true})
      .when(InterruptTurn{turn(2)})
      .then(TurnInterrupted{turn(2), EndReason::user, {}},
            SessionClosed{SessionStatus::completed, EndReason::none}, name_released(),
            place_released_with_lease());
}

TEST_CASE("withdrawing the last prompt of a closing session leaves it to its tasks", "[session]") {
  given(answered(), TurnQueued{turn(2)}, QueuePaused{EndReason::turn_error}, CloseRequested{})
      .when(InterruptTurn{turn(2)})
      .then(TurnInterrupted{turn(2), EndReason::user, {}})
      .when(report(5, ReportTasksChanged{}))
      .then(TasksChanged{}, SessionClosed{SessionStatus::completed, EndReason::none},
            name_released(), place_released_with_lease());
}

TEST_CASE("tasks end with their agent", "[session]") {
  const auto after = given(answered())
                         .when(ExpireLease{kToken})
                         .then(SpendingRecorded{{}, {}, CostBasis::at_least}, TasksLost{2},
                               LeaseExpired{kToken}, support::parked());
  CHECK(after.session().tasks == 0);
  ReportAgentExited stopped;
  stopped.is_stopped = true;
  stopped.has_run = true;
  given(answered())
      .when(report(5, stopped))
      .then(AgentExited{0, 0, true}, TasksLost{2}, LeaseReleased{kToken}, support::parked());
}

// The agent has told a running total with its answer, and spent more since.
std::vector<support::Fact> spending_on() {
  TurnCost cost;
  cost.agent_total = {500};
  return with_tasks() + fact(TurnFinished{turn(1), cost}).by_report(1, 4) +
         fact(SpendingRecorded{turn(1), {{"model", {}, {70}}}}).by_report(1, 5);
}

TEST_CASE("what tasks have spent is a lower bound if no result comes behind it", "[session]") {
  const SpendingRecorded marked{{}, {}, CostBasis::at_least};
  ReportAgentExited died;
  died.has_run = true;
  const auto after =
      given(spending_on())
          .when(report(6, died))
          .then(AgentExited{}, marked, TasksLost{2}, LeaseReleased{kToken}, support::parked());
  CHECK(after.session().basis == CostBasis::at_least);
  CHECK(after.session().cost.value == 70);
  given(answered())
      .when(ExpireLease{kToken})
      .then(marked, TasksLost{2}, LeaseExpired{kToken}, support::parked());
  // Nothing was spent since the last result.
  given(answered())
      .when(report(5, died))
      .then(AgentExited{}, TasksLost{2}, LeaseReleased{kToken}, support::parked());
}

TEST_CASE("a subagent that is cut off leaves a lower bound of the cost", "[session]") {
  const SpendingRecorded marked{{}, {}, CostBasis::at_least};
  const TasksChanged other = GENERATE(TasksChanged{3, false, 2}, TasksChanged{0, true});
  const auto with_subagent = support::idle() + fact(TasksChanged{2, false, 1}).by_report(1, 5) +
                             fact(other).by_report(1, 6);
  ReportAgentExited stopped;
  stopped.is_stopped = true;
  stopped.has_run = true;
  const auto decided = given(with_subagent).when(report(7, stopped)).outcome();
  REQUIRE(decided);
  CHECK((*decided)[1].event == Event(marked));
  // It had not been given the next prompt.
  const auto expired = given(with_subagent, TurnQueued{turn(2)}, TurnStarted{turn(2), kToken})
                           .when(ExpireLease{kToken, turn(1)})
                           .outcome();
  REQUIRE(expired);
  CHECK((*expired)[0].event == Event(TurnReturned{turn(2)}));
  CHECK((*expired)[1].event == Event(marked));
  // It had ended before.
  given(with_subagent, fact(TasksChanged{1}).by_report(1, 7))
      .when(report(8, stopped))
      .then(AgentExited{0, 0, true}, TasksLost{1}, LeaseReleased{kToken}, support::parked());
}

TEST_CASE("a session that waited for tasks which were cut off is not completed", "[session]") {
  const bool is_multi_turn = GENERATE(true, false);
  const auto past = is_multi_turn ? answered() + CloseRequested{} : answered(false);
  given(past)
      .when(report(5, ReportAgentExited{}))
      .then(AgentExited{}, TasksLost{2}, LeaseReleased{kToken},
            SessionClosed{SessionStatus::failed, EndReason::agent_exited}, name_released(),
            support::place_released());
  given(past)
      .when(ExpireLease{kToken})
      .then(SpendingRecorded{{}, {}, CostBasis::at_least}, TasksLost{2}, LeaseExpired{kToken},
            SessionClosed{SessionStatus::failed, EndReason::worker_lost}, name_released(),
            support::place_released());
}

TEST_CASE("tasks of a session that has ended are recorded and change nothing", "[session]") {
  given(support::killed())
      .when(report(3, ReportTasksChanged{1, "Wait"}))
      .then(fact(TasksChanged{1}).with("Wait"))
      .when(report(4, ReportTasksChanged{0, "", true}))
      .then(TasksChanged{0, true});
}

TEST_CASE("numbers of tasks that cannot be are ignored", "[session]") {
  const ReportTasksChanged odd =
      GENERATE(ReportTasksChanged{-1, ""}, ReportTasksChanged{1, "", false, 2},
               ReportTasksChanged{1, "", false, -1});
  given(support::running()).when(report(3, odd)).then(ReportIgnored{"TasksChanged"});
}

TEST_CASE("tasks without an agent are impossible", "[session]") {
  CHECK(given(answered()).is_consistent());
  CHECK_FALSE(given(support::unleased(), TasksChanged{1}).is_consistent());
  CHECK_FALSE(given(support::running(), TasksChanged{-1}).is_consistent());
  CHECK_FALSE(given(support::running(), TasksChanged{1, false, 2}).is_consistent());
}

}  // namespace
}  // namespace domain
