// An agent session that others use, too: what its agent process is told to look for.
#include "eventlog/domain/text_limits.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::kToken;
using support::kWorker;
using support::report;
using support::turn;

const OutputRecorded kSaid = [] {
  OutputRecorded said{turn(1), 1, OutputKind::text};
  said.message = "last";
  return said;
}();

ReportAgentExited agent_exit(bool is_heard) {
  ReportAgentExited r;
  r.is_stopped = true;
  r.has_run = true;
  r.is_heard = is_heard;
  return r;
}

// A session whose agent has said something, and waits for the next prompt.
std::vector<Fact> said() {
  return support::running() + fact(kSaid).by_report(1, 3) +
         fact(TurnFinished{turn(1), {}}).by_report(1, 4);
}

LeaseGranted granted_behind(const std::vector<Fact>& past) {
  const auto outcome = given(past + TurnQueued{turn(2)}).when(GrantLease{kWorker}).outcome();
  REQUIRE(outcome);
  for (const Emitted& one : *outcome) {
    if (const auto* granted = one.event.as<LeaseGranted>()) return *granted;
  }
  FAIL("no lease was granted");
  return {};
}

TEST_CASE("an agent that ended in order is followed by one that knows its last message",
          "[session][C19]") {
  const auto ended =
      given(said())
          .when(report(5, agent_exit(true)))
          .then(AgentExited{0, 0, true, true}, LeaseReleased{kToken}, support::parked());
  CHECK(ended.session().is_heard);
  const auto past = said() + fact(AgentExited{0, 0, true, true}).by_report(1, 5);
  const LeaseGranted granted = granted_behind(past + LeaseReleased{kToken});
  CHECK(granted.resume_agent_session == "agent-session");
  CHECK(granted.last_message == "last");
  // While that one works, nobody knows what comes last.
  const auto next = given(past + LeaseReleased{kToken} + TurnQueued{turn(2)} + granted);
  CHECK_FALSE(next.session().is_heard);
  CHECK(lease_state(next.session()).lease->last_message == "last");
}

TEST_CASE("what a lost worker has not told is not taken for another's", "[session]") {
  CHECK(granted_behind(said() + LeaseExpired{kToken}).last_message.empty());
  const auto unread = said() + fact(AgentExited{0, 0, true, false}).by_report(1, 5);
  CHECK(granted_behind(unread + LeaseReleased{kToken}).last_message.empty());
}

TEST_CASE("what others spent in the agent session is not booked", "[session]") {
  LeaseGranted granted{kWorker, {2}, "agent-session"};
  granted.agent_total = NanoUsd{1'000};
  const auto resumed = said() + fact(AgentExited{0, 0, true, true}).by_report(1, 5) +
                       LeaseReleased{kToken} + TurnQueued{turn(2)} + granted +
                       TurnStarted{turn(2), {2}};
  CHECK(given(resumed).session().total_at_start == NanoUsd{1'000});
  const AgentSessionShared shared{turn(2), "agent-session", "last", 1};
  CHECK_FALSE(given(resumed + shared).session().total_at_start);
}

TEST_CASE("that others use the agent session is on the record", "[session]") {
  const AgentSessionShared shared{turn(1), "agent-session", "last", 2};
  const auto told = given(support::running()).when(report(3, shared)).then(shared);
  CHECK(told.session().shared_at.value > 0);
  AgentSessionShared long_one = shared;
  long_one.message = std::string(1'000, 'x');
  const auto outcome = given(support::running()).when(report(3, long_one)).outcome();
  REQUIRE(outcome);
  CHECK(outcome->front().event.get<AgentSessionShared>().message.size() <= kFactBytesMax);
}

}  // namespace
}  // namespace domain
