// What an agent takes with it when it ends: its tasks in the background, and its transcript.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::Given;
using support::given;
using support::kToken;
using support::kWorker;
using support::name_released;
using support::place_released;
using support::report;
using support::turn;

const Fact kTwoTasksRun = fact(TasksChanged{2, false, 0}).with("Wait.").by_report(1, 4);

ReportAgentExited agent_exit(bool is_stopped) {
  ReportAgentExited r;
  r.exit_code = is_stopped ? 0 : 1;
  r.is_stopped = is_stopped;
  r.has_run = true;
  return r;
}

TEST_CASE("tasks that end with their agent are on the record", "[session]") {
  const Given lost =
      given(support::idle() + kTwoTasksRun)
          .when(report(5, agent_exit(false)))
          .then(AgentExited{1, 0}, TasksLost{2}, LeaseReleased{kToken}, support::parked());
  CHECK(lost.session().tasks == 0);
  CHECK(lost.session().tasks_lost == 2);
  CHECK(attention_of(lost.session()) == Attention::waiting_for_input);
  given(support::idle() + kTwoTasksRun)
      .when(report(5, agent_exit(true)))
      .then(AgentExited{0, 0, true}, TasksLost{2}, LeaseReleased{kToken}, support::parked());
  const auto by_worker =
      given(support::idle() + kTwoTasksRun).when(ExpireLease{kToken, turn(1)}).outcome();
  REQUIRE(by_worker);
  CHECK(std::any_of(by_worker->begin(), by_worker->end(),
                    [](const Emitted& one) { return one.event == Event(TasksLost{2}); }));
}

TEST_CASE("the next prompt is a new beginning for lost tasks", "[session]") {
  const Given after =
      given(support::idle() + kTwoTasksRun + TasksLost{2} + LeaseReleased{kToken} +
            TurnQueued{turn(2)} + LeaseGranted{kWorker, {2}, {}} + TurnStarted{turn(2), {2}});
  CHECK(after.session().tasks_lost == 0);
}

TEST_CASE("tasks that a closing session has waited for too long fail it", "[session]") {
  given(support::idle() + kTwoTasksRun + CloseRequested{})
      .when(report(5, ReportTasksChanged{2, "", true}))
      .then(TasksChanged{2, true},
            SessionClosed{SessionStatus::failed, EndReason::tasks_unfinished}, name_released(),
            support::place_released_with_lease());
}

TEST_CASE("an agent that could not write its transcript is followed by one that is told",
          "[session]") {
  const Given said = given(support::running())
                         .when(report(3, TranscriptWritesLost{turn(1), "ENOSPC"}))
                         .then(TranscriptWritesLost{turn(1), "ENOSPC"});
  CHECK(said.session().agent_session == "agent-session");
  const auto past = support::running() +
                    fact(TranscriptWritesLost{turn(1), "ENOSPC"}).by_report(1, 3) +
                    fact(TurnFinished{turn(1), {}}).by_report(1, 4);
  const Given ended = given(past)
                          .when(report(5, agent_exit(true)))
                          .then(AgentExited{0, 0, true}, LeaseReleased{kToken}, support::parked());
  CHECK(ended.session().lost_at.value > 0);
  CHECK(ended.session().agent_session.empty());
  given(past + LeaseReleased{kToken} + TurnQueued{turn(2)})
      .when(GrantLease{kWorker})
      .then(LeaseGranted{kWorker, {2}, {}}, TurnStarted{turn(2), {2}});
}

}  // namespace
}  // namespace domain
