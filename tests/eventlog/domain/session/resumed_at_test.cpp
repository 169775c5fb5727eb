// Where a resumed session goes on with the agent's conversation, and how it begins anew if the
// agent has lost that.
#include "eventlog/domain/admission/alias.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::kOwnTurn;
using support::kSession;
using support::kSource;
using support::kToken;
using support::report;
using support::turn;

// The source has ended. Its agent's own session is "old", in which `message` came last.
std::vector<Fact> ended_source(const std::string& message) {
  SessionOpened opened{kSource, "main",  "first", "alias000", {}, support::sample_spec(true),
                       {},      kSource, {}};
  std::vector<Fact> past;
  for (const Fact& f :
       {Fact(opened), Fact(TurnQueued{turn(1)}), Fact(LeaseGranted{support::kWorker, kToken, {}}),
        Fact(TurnStarted{turn(1), kToken}), Fact(AgentInitialized{"old", "m", "2"}),
        Fact(OutputRecorded{turn(1), 1, OutputKind::text, "", message}),
        Fact(TurnFinished{turn(1), {}}), Fact(LeaseReleased{kToken}),
        Fact(SessionClosed{SessionStatus::killed, EndReason::user})}) {
    past.push_back(f.on(support::kSourceStream));
  }
  return past;
}

// Another session has gone on with the agent's own since.
Fact left_behind() {
  return fact(SessionResumed{support::numbered<SessionId>(7), false, true, true})
      .on(support::kSourceStream);
}

Spawn go_on(bool is_fork = false) {
  Spawn c;
  c.spec = support::sample_spec(true);
  c.prompt = "Go on";
  c.resume = kSource;
  c.is_fork = is_fork;
  return c;
}

// Returns the spec with which the session begins.
SessionSpec resumed(const std::vector<Fact>& past, bool is_fork = false) {
  const auto decided = given(past).when(go_on(is_fork)).outcome();
  REQUIRE(decided);
  for (const Emitted& one : *decided) {
    if (const auto* opened = one.event.as<SessionOpened>()) return opened->spec;
  }
  FAIL("no session was opened");
  return {};
}

// Returns what the source's stream is told of it.
SessionResumed told_to_source(const std::vector<Fact>& past, bool is_fork) {
  const auto decided = given(past).when(go_on(is_fork)).outcome();
  REQUIRE(decided);
  for (const Emitted& one : *decided) {
    if (const auto* told = one.event.as<SessionResumed>()) return *told;
  }
  FAIL("the source was not told");
  return {};
}

TEST_CASE("a resume goes on where the resumed session ended", "[session]") {
  const bool is_fork = GENERATE(false, true);
  SECTION("which is the end of the agent's own session as long as no other went on with it") {
    const SessionSpec spec = resumed(ended_source("m-9"), is_fork);
    CHECK(spec.resumed_at == ResumedAt::end);
    CHECK(spec.resume_message == "m-9");
    CHECK(spec.resume_agent_session == "old");
    CHECK(spec.is_fork == is_fork);
    const auto forked = fact(SessionResumed{support::numbered<SessionId>(7), true, true, false})
                            .on(support::kSourceStream);
    CHECK(resumed(ended_source("m-9") + forked, is_fork).resumed_at == ResumedAt::end);
  }
  SECTION("at its last message, with a copy, if another session went on with the agent's") {
    const SessionSpec spec = resumed(ended_source("m-9") + left_behind(), is_fork);
    CHECK(spec.resumed_at == ResumedAt::message);
    CHECK(spec.resume_message == "m-9");
    CHECK(spec.resume_agent_session == "old");
    CHECK(spec.is_fork);
  }
  SECTION("or with a copy of all if its own last message is not known") {
    CHECK(resumed(ended_source("") + left_behind(), is_fork).resumed_at == ResumedAt::latest);
    CHECK(resumed(ended_source("") + left_behind(), is_fork).is_fork);
    // As an older release recorded a resume.
    const auto older = fact(SessionResumed{support::numbered<SessionId>(7), false, true})
                           .on(support::kSourceStream);
    CHECK(resumed(ended_source("") + older, is_fork).resumed_at == ResumedAt::latest);
    CHECK(resumed(ended_source(""), is_fork).resumed_at == ResumedAt::end);
  }
}

TEST_CASE("a source learns whether the agent's own session goes on without it", "[session]") {
  CHECK(told_to_source(ended_source("m-9"), false).takes_agent_session);
  CHECK_FALSE(told_to_source(ended_source("m-9"), false).is_fork);
  CHECK_FALSE(told_to_source(ended_source("m-9"), true).takes_agent_session);
  CHECK_FALSE(told_to_source(ended_source("m-9") + left_behind(), false).takes_agent_session);
  CHECK(told_to_source(ended_source("m-9") + left_behind(), false).is_fork);
}

TEST_CASE("a copy in which nothing was said is resumed from where it was to begin", "[session]") {
  auto past = ended_source("m-9");
  auto& opened = past.front().event.get<SessionOpened>();
  opened.spec.edit().resume_agent_session = "first";
  opened.spec.edit().resume_message = "m-9";
  opened.spec.edit().resumed_at = ResumedAt::message;
  opened.spec.edit().is_fork = true;
  past.erase(past.begin() + 5);  // its only message
  const SessionSpec spec = resumed(past);
  CHECK(spec.resume_agent_session == "first");
  CHECK(spec.resume_message == "m-9");
  CHECK(spec.resumed_at == ResumedAt::message);
  CHECK(spec.is_fork);
}

TEST_CASE("the last message is the agent's own, of its present session", "[session]") {
  const auto said = support::running() +
                    Fact(OutputRecorded{turn(1), 1, OutputKind::text, "", "m-1"}) +
                    Fact(ToolCallStarted{turn(1), "c", "Bash", "", "m-2"});
  CHECK(given(said).when(report(3, ReportPartialOutput{turn(1), "x"})).outcome());
  const auto state = [](const std::vector<Fact>& past) {
    return given(past)
        .when(report(3, ReportPartialOutput{turn(1), "x"}))
        .then(fact(PartialOutputRecorded{turn(1), 2}).with("x"))
        .session();
  };
  CHECK(state(said).last_message == "m-2");
  CHECK(state(said + Fact(ToolCallStarted{turn(1), "d", "Bash", "c", "m-3"})).last_message ==
        "m-2");
  CHECK(state(said + Fact(ToolCallStarted{turn(1), "d", "Bash", "", ""})).last_message == "m-2");
  CHECK(state(said + Fact(AgentInitialized{"agent-session", "model", "2.0"})).last_message ==
        "m-2");
  CHECK(state(said + Fact(AgentInitialized{"cleared", "model", "2.0"})).last_message.empty());
}

TEST_CASE("the agent's id of a message is recorded with what it says", "[session]") {
  given(support::running())
      .when(report(3, ReportOutput{turn(1), OutputKind::text, "Hi", "", "m-1"}))
      .then(fact(OutputRecorded{turn(1), 1, OutputKind::text, "", "m-1"}).with("Hi"))
      .when(report(4, ReportToolCallStarted{turn(1), "c", "Bash", "{}", "", "m-2"}))
      .then(fact(ToolCallStarted{turn(1), "c", "Bash", "", "m-2"}).with("{}"));
}

// A session that was opened to go on at message m-9 of the agent's session "old".
std::vector<Fact> opened_at_message(bool is_multi_turn = true, bool is_copy = true) {
  SessionOpened opened = support::opened(is_multi_turn);
  opened.spec.edit().resume_agent_session = "old";
  opened.spec.edit().resume_message = "m-9";
  opened.spec.edit().resumed_at = ResumedAt::message;
  opened.spec.edit().is_fork = is_copy;
  opened.resumed_from = opened.lineage = kSource;
  std::vector<Fact> past = support::starting(is_multi_turn);
  past.front() = Fact(opened);
  if (!is_copy) past[2] = fact(NameClaimed{kSession, "fix-bug", "old"}).on(support::kRegistry);
  return past;
}

TEST_CASE("an agent that has said nothing begins again where its session was opened", "[session]") {
  const auto begun = opened_at_message() + LeaseGranted{support::kWorker, kToken, {}} +
                     TurnStarted{turn(1), kToken} + AgentInitialized{"copy", "m", "2"};
  const TurnInterrupted ended{turn(1), EndReason::worker_lost, {}};
  const TurnQueued next{turn(2)};
  const auto resumes = [](const std::vector<Fact>& past) {
    const auto decided = given(past).when(GrantLease{support::kWorker}).outcome();
    REQUIRE(decided);
    return decided->front().event.get<LeaseGranted>().resume_agent_session;
  };
  const auto again = begun + ended + LeaseExpired{kToken} + next;
  CHECK(resumes(again).empty());
  const auto once_more = again + LeaseGranted{support::kWorker, {2}, {}} +
                         TurnStarted{turn(2), {2}} + AgentInitialized{"copy-2", "m", "2"} +
                         TurnInterrupted{turn(2), EndReason::worker_lost, {}} + LeaseExpired{{2}} +
                         TurnQueued{turn(3)};
  CHECK(resumes(once_more).empty());
  const auto said = begun + OutputRecorded{turn(1), 1, OutputKind::text, "", "m-10"};
  CHECK(resumes(said + ended + LeaseExpired{kToken} + next) == "copy");
  const SpendingRecorded spent{turn(1), {{"m", {}, {70}}}, CostBasis::reported};
  CHECK(resumes(begun + spent + ended + LeaseExpired{kToken} + next) == "copy");
}

const ReportAgentSessionLost kLost{"No conversation found"};

TEST_CASE("an agent without its transcript gives its turn back, and the next one begins anew",
          "[session]") {
  const bool is_multi_turn = GENERATE(true, false);
  const auto given_back =
      given(opened_at_message(is_multi_turn, false) + LeaseGranted{support::kWorker, kToken, {}} +
            TurnStarted{turn(1), kToken})
          .when(report(1, kLost))
          .then(fact(AgentSessionLost{"old"}).with("No conversation found"),
                fact(AgentSessionReleased{kSession, "old"}).on(support::kRegistry))
          .when(report(2, ReportAgentExited{1, 0, "", false, false, turn(1)}))
          .then(AgentExited{1, 0}, TurnReturned{turn(1)}, LeaseReleased{kToken});
  CHECK(given_back.session().status == SessionStatus::starting);
  CHECK(given_back.session().lost_at.value > 0);
  CHECK(given_back.registry().agent_sessions.empty());
  const auto begun =
      support::Given(given_back)
          .when(GrantLease{support::kWorker})
          .then(
              LeaseGranted{support::kWorker, {2}, {}}, TurnStarted{turn(1), {2}},
              fact(LineageReserved{kSession, {}, {}}).on(lineage_stream("main", support::kSource)));
  CHECK(lease_state(begun.session()).lost_at == begun.session().lost_at);
}

TEST_CASE("what was lost is told until a prompt is answered", "[session]") {
  const auto lost = support::running() + AgentSessionLost{"agent-session"};
  const auto state = [](const std::vector<Fact>& past) {
    return given(past).when(report(3, ReportAgentLine{LineFault::not_json, 1, "l"})).outcome()
               ? given(past)
                     .when(report(3, ReportAgentLine{LineFault::not_json, 1, "l"}))
                     .then(fact(AgentLineRecorded{LineFault::not_json, 1}).with("l"))
                     .session()
               : SessionState{};
  };
  CHECK(state(lost).lost_at.value > 0);
  CHECK(state(lost).agent_session.empty());
  CHECK(state(lost).lease->is_lost);
  CHECK(state(lost + TurnFailed{turn(1), "e", "", 0, {}}).lost_at.value > 0);
  CHECK(state(lost + TurnFinished{turn(1), {}}).lost_at.value == 0);
  const auto own =
      lost + OwnTurnStarted{turn(5), OwnTurnCause::task, "", {}} + TurnFinished{turn(5), {}};
  CHECK(state(own).lost_at.value > 0);
}

TEST_CASE("a turn of an agent without transcript outlives its worker", "[session]") {
  const bool is_multi_turn = GENERATE(true, false);
  const auto after =
      given(opened_at_message(is_multi_turn) + LeaseGranted{support::kWorker, kToken, {}} +
            TurnStarted{turn(1), kToken} + AgentSessionLost{"old"})
          .when(ExpireLease{kToken, turn(1)})
          .then(TurnReturned{turn(1)}, LeaseExpired{kToken});
  CHECK(is_live(after.session().status));
}

TEST_CASE("the totals of a lost agent session are not those of the next", "[session]") {
  TurnCost cost{{}, {700}, {5'000}, 1, {}};
  const auto past = support::running() + TurnFinished{turn(1), cost} +
                    SpendingRecorded{{}, {{"m", {}, {70}}}, CostBasis::reported};
  const auto state = [](const std::vector<Fact>& events) {
    return given(events)
        .when(report(3, ReportPartialOutput{turn(1), "x"}))
        .then(fact(PartialOutputRecorded{turn(1), 1}).with("x"))
        .session();
  };
  CHECK(running_total(state(past)).value == 5'070);
  CHECK(running_total(state(past + AgentSessionLost{"agent-session"})).value == 0);
  CHECK(state(past + AgentSessionLost{"agent-session"}).cost.value == 770);
}

TEST_CASE("a loss that cannot be is not believed", "[session]") {
  given(support::leased())
      .when(report(1, kLost))
      .then(ReportIgnored{"AgentSessionLost"});  // nothing was to be resumed
  given(support::killed()).when(report(3, kLost)).then(ReportIgnored{"AgentSessionLost"});
}

TEST_CASE("somebody who ends the turn of an agent without transcript has it ended", "[session]") {
  given(opened_at_message() + LeaseGranted{support::kWorker, kToken, {}} +
        TurnStarted{turn(1), kToken} + fact(AgentSessionLost{"old"}).by_report(1, 1) +
        InterruptRequested{turn(1)})
      .when(report(2, ReportAgentExited{1, 0, "", false, false, turn(1)}))
      .then(AgentExited{1, 0}, TurnInterrupted{turn(1), EndReason::user, {}}, LeaseReleased{kToken},
            support::parked());
}

TEST_CASE("a session that lost its transcript is resumed from the record", "[session]") {
  auto past = ended_source("m-9");
  past.insert(past.end() - 2, fact(AgentSessionLost{"old"}).on(support::kSourceStream));
  const bool is_fork = GENERATE(false, true);
  const SessionSpec spec = resumed(past, is_fork);
  CHECK(spec.resumed_at == ResumedAt::record);
  CHECK(spec.resume_agent_session->empty());
  CHECK_FALSE(spec.is_fork);
  CHECK_FALSE(told_to_source(past, is_fork).takes_agent_session);
  SessionOpened opened = support::opened();
  opened.spec.edit().resumed_at = ResumedAt::record;
  std::vector<Fact> begun = support::starting();
  begun.front() = Fact(opened);
  const auto leased =
      given(begun)
          .when(GrantLease{support::kWorker})
          .then(LeaseGranted{support::kWorker, kToken, {}}, TurnStarted{turn(1), kToken});
  CHECK(leased.session().lost_at == leased.session().opened);
  CHECK(lease_state(leased.session()).lost_at == leased.session().opened);
}

TEST_CASE("what the agent is busy with is recorded as it says it", "[session]") {
  AgentStatusReported status{turn(1), "compacting", "plan", "why"};
  const auto reported = given(support::running()).when(report(3, status));
  status.is_kept = true;
  support::When(reported).then(status);
  AgentStatusReported longer{turn(1), std::string(1'000, 's'), std::string(1'000, 'p'),
                             std::string(1'000, 'e')};
  const auto decided = given(support::running()).when(report(3, longer)).outcome();
  REQUIRE(decided);
  const auto& cut = decided->front().event.get<AgentStatusReported>();
  CHECK(cut.status.size() == 256);
  CHECK(cut.permission_mode.size() == 256);
  CHECK(cut.error.size() == 256);
}

}  // namespace
}  // namespace domain
