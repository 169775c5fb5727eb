// Reports of a worker: accepted once, in sequence, under the current token. Each makes an event,
// and the end of an agent process decides the session's fate.
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kToken;
using support::kWorker;
using support::name_released;
using support::place_released;
using support::report;
using support::turn;

TEST_CASE("the agent process is on the record from its start, the session runs from its init",
          "[session][R006][R007][R018]") {
  const auto started = given(support::leased())
                           .when(report(1, ReportAgentStarted{4711, 99}))
                           .then(AgentStarted{4711, 99});
  CHECK(started.session().status == SessionStatus::starting);
  CHECK(started.session().lease->pid == 4711);
  const auto running = started.when(report(2, ReportInitialized{"agent-session", "model", "2.0"}))
                           .then(AgentInitialized{"agent-session", "model", "2.0"});
  CHECK(running.session().status == SessionStatus::running);
  CHECK(running.session().agent_session == "agent-session");
  CHECK(running.session().lease->report_sequence == 2);
}

TEST_CASE("a later init changes the agent's session, not the status", "[session]") {
  const auto after = given(support::running())
                         .when(report(3, ReportInitialized{"another", "model", "2.0"}))
                         .then(AgentInitialized{"another", "model", "2.0"});
  CHECK(after.session().status == SessionStatus::running);
  CHECK(after.session().agent_session == "another");
}

TEST_CASE("an agent process that cannot be started for a killed session settles it",
          "[session][R008][D04]") {
  given(support::killed())
      .when(report(3, ReportStartFailed{"late"}))
      .then(fact(AgentStartFailed{}).with("late"), LeaseReleased{kToken}, support::settled());
}

TEST_CASE("output blocks are counted from 1", "[session][R019]") {
  given(support::running())
      .when(report(3, ReportPartialOutput{turn(1), "Hel"}))
      .then(fact(PartialOutputRecorded{turn(1), 1}).with("Hel"))
      .when(report(4, ReportOutput{turn(1), OutputKind::text, "Hello"}))
      .then(fact(OutputRecorded{turn(1), 1, OutputKind::text}).with("Hello"))
      .when(report(5, ReportOutput{turn(1), OutputKind::thinking, "Hm"}))
      .then(fact(OutputRecorded{turn(1), 2, OutputKind::thinking}).with("Hm"));
}

TEST_CASE("tool calls and lines that nobody understands are recorded with their text",
          "[session][R004][R019]") {
  given(support::running())
      .when(report(3, ReportToolCallStarted{turn(1), "call-1", "Bash", "{\"command\":\"ls\"}"}))
      .then(fact(ToolCallStarted{turn(1), "call-1", "Bash"}).with("{\"command\":\"ls\"}"))
      .when(report(4, ReportToolCallFinished{turn(1), "call-1", true, "no such folder"}))
      .then(fact(ToolCallFinished{turn(1), "call-1", true}).with("no such folder"))
      .when(report(5, ReportAgentLine{LineFault::not_json, 5, "oops!"}))
      .then(fact(AgentLineRecorded{LineFault::not_json, 5}).with("oops!"));
}

TEST_CASE("an agent process that ends before it introduced itself gives its prompt back",
          "[session]") {
  given(support::running(), TurnQueued{turn(2)})
      .when(report(3, ReportAgentExited{0, 0, "tail"}))
      .then(fact(AgentExited{0, 0}).with("tail"), LeaseReleased{kToken},
            TurnReturned{turn(1), 0, 1},
            QueuePaused{EndReason::agent_exited, Time{} + kStartPauses[0]});
}

TEST_CASE("an idle agent process of an older worker that ends by itself fails the session",
          "[session]") {
  given(support::idle())
      .when(report(4, ReportAgentExited{0, 0, {}}))
      .then(AgentExited{0, 0}, LeaseReleased{kToken},
            SessionClosed{SessionStatus::failed, EndReason::agent_exited}, name_released(),
            place_released());
}

TEST_CASE("a closing agent process that ends badly fails the session", "[session]") {
  const auto [code, signal] = GENERATE(table<int, int>({{3, 0}, {2, 0}, {0, 9}, {1, 1}}));
  const ReportAgentExited exited{code, signal, {}};
  given(support::idle(), CloseRequested{})
      .when(report(4, exited))
      .then(AgentExited{exited.exit_code, exited.signal}, LeaseReleased{kToken},
            SessionClosed{SessionStatus::failed, EndReason::agent_exited}, name_released(),
            place_released());
}

TEST_CASE("the end of a killed session's agent process only frees its lease", "[session]") {
  const auto after = given(support::killed())
                         .when(report(3, ReportAgentExited{0, 9, {}}))
                         .then(AgentExited{0, 9}, LeaseReleased{kToken}, support::settled());
  CHECK(after.session().status == SessionStatus::killed);
  CHECK_FALSE(after.session().lease);
}

TEST_CASE("what a killed session's agent still says is recorded", "[session]") {
  const auto after =
      given(support::killed())
          .when(report(3, ReportOutput{turn(1), OutputKind::text, "last words"}))
          .then(fact(OutputRecorded{turn(1), 1, OutputKind::text}).with("last words"))
          .when(report(4, ReportInitialized{"late", "m", "2"}))
          .then(AgentInitialized{"late", "m", "2"});
  CHECK(after.session().status == SessionStatus::killed);
}

// Returns one of every report, for the rules that hold for all of them.
std::vector<Report> all_reports() {
  ReportTurnResult result;
  result.turn = turn(1);
  return {ReportAgentStarted{1, 1},
          ReportStartFailed{"text"},
          ReportInitialized{"a", "m", "1"},
          ReportOutput{turn(1), OutputKind::text, "text"},
          ReportPartialOutput{turn(1), "text"},
          ReportToolCallStarted{turn(1), "c", "t", "i"},
          ReportToolCallFinished{turn(1), "c", false, "o"},
          result,
          ReportAgentLine{LineFault::too_long, 1, "l"},
          ReportAgentExited{1, 0, "tail"}};
}

TEST_CASE("a report with an old token is refused, whatever it says", "[session][C20]") {
  for (const Report& r : all_reports()) {
    given(support::unleased(), LeaseGranted{kWorker, {2}, {}})
        .when(report(4, r, 1))
        .then_rejected(RejectionCode::stale_token);
    given(support::unleased()).when(report(4, r, 1)).then_rejected(RejectionCode::stale_token);
    given(support::starting()).when(report(1, r, 0)).then_rejected(RejectionCode::stale_token);
    given(support::running()).when(report(3, r, 2)).then_rejected(RejectionCode::stale_token);
    given().when(report(1, r)).then_rejected(RejectionCode::stale_token);
  }
}

TEST_CASE("a report after a missing one is refused, whatever it says", "[session]") {
  for (const Report& r : all_reports()) {
    given(support::running()).when(report(4, r)).then_rejected(RejectionCode::report_gap);
  }
}

TEST_CASE("a repeated report is accepted and changes nothing, whatever it says", "[session]") {
  for (const Report& r : all_reports()) {
    given(support::running()).when(report(2, r)).then_nothing();
    given(support::running()).when(report(1, r)).then_nothing();
  }
}

TEST_CASE("every report makes an event, so that its sequence is on the record", "[session]") {
  for (const Report& r : all_reports()) {
    const auto when = given(support::running()).when(report(3, r));
    REQUIRE(when.outcome());
    REQUIRE_FALSE(when.outcome()->empty());
    CHECK(when.outcome()->front().stream.empty());
  }
}

}  // namespace
}  // namespace domain
