// A session can go on with a session of the agent's own that began outside of the record.
#include <algorithm>

#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::kSource;
using support::kToken;
using support::kWorker;
using support::turn;

const std::string kForeign = "0b7c1d1e-58a1-4a63-9d0b-6c5f8a2b9c3d";

Spawn spawn_foreign() {
  Spawn c;
  c.name = "fix-bug";
  c.spec = support::sample_spec(true);
  c.prompt = "go on";
  c.agent_session = kForeign;
  return c;
}

std::vector<Fact> foreign() {
  auto past = support::starting();
  past.front().event.get<SessionOpened>().spec.edit().resume_agent_session = kForeign;
  for (Fact& each : past) {
    if (auto* claim = each.event.as<NameClaimed>()) claim->agent_session = kForeign;
  }
  return past;
}

TEST_CASE("an agent session that the record does not know is passed through", "[session][R038]") {
  const auto decided = given().when(spawn_foreign()).outcome();
  REQUIRE(decided);
  const auto& opened = (*decided)[0].event.get<SessionOpened>();
  CHECK(opened.spec->resume_agent_session == kForeign);
  CHECK_FALSE(opened.spec->is_fork);
  CHECK(opened.lineage == support::kSession);
  CHECK((*decided)[2].event.get<NameClaimed>().agent_session == kForeign);
}

TEST_CASE("a copy of an agent session from elsewhere claims nothing", "[session]") {
  Spawn c = spawn_foreign();
  c.is_fork = true;
  const auto decided = given().when(c).outcome();
  REQUIRE(decided);
  CHECK((*decided)[0].event.get<SessionOpened>().spec->is_fork);
  CHECK((*decided)[2].event.get<NameClaimed>().agent_session.empty());
}

TEST_CASE("an agent session that a live session has is not given to another", "[session]") {
  const auto held = fact(NameClaimed{kSource, {}, kForeign}).on(support::kRegistry);
  given(held).when(spawn_foreign()).then_rejected(RejectionCode::source_live);
  Spawn copy = spawn_foreign();
  copy.is_fork = true;
  CHECK(given(held).when(copy).outcome());
}

TEST_CASE("a spawn that resumes two things at once is refused", "[session]") {
  Spawn c = spawn_foreign();
  c.resume = kSource;
  SessionOpened opened = support::opened();
  opened.session = opened.lineage = kSource;
  const auto on_source = [](auto event) { return fact(event).on(support::kSourceStream); };
  given(on_source(opened), on_source(AgentInitialized{"agent-session", "model", "2.0"}),
        on_source(SessionClosed{SessionStatus::killed, EndReason::user}))
      .when(c)
      .then_rejected(RejectionCode::invalid);
  c = spawn_foreign();
  c.agent_session = std::string(kFactBytesMax + 1, 'x');
  given().when(c).then_rejected(RejectionCode::invalid);
}

TEST_CASE("nobody knows what an agent session from elsewhere has cost before", "[session]") {
  const auto decided = given(foreign()).when(GrantLease{kWorker}).outcome();
  REQUIRE(decided);
  CHECK_FALSE(decided->front().event.get<LeaseGranted>().agent_total);
}

TEST_CASE("nor does the agent process that follows one without a result", "[session]") {
  const auto past = foreign() + LeaseGranted{kWorker, kToken, {}} + TurnStarted{turn(1), kToken} +
                    fact(AgentInitialized{kForeign, "model", "2.0"}).by_report(1, 1) +
                    TurnInterrupted{turn(1), EndReason::worker_lost, {}} + LeaseExpired{kToken} +
                    TurnQueued{turn(2)};
  const auto decided = given(past).when(GrantLease{kWorker}).outcome();
  REQUIRE(decided);
  CHECK_FALSE(decided->front().event.get<LeaseGranted>().agent_total);
}

TEST_CASE("a conversation that is nowhere fails its session", "[session][C19]") {
  const auto past = foreign() + LeaseGranted{kWorker, kToken, {}} + TurnStarted{turn(1), kToken};
  const auto decided =
      given(past).when(support::report(1, ReportAgentSessionLost{"none"})).outcome();
  REQUIRE(decided);
  const auto closed = std::find_if(decided->begin(), decided->end(),
                                   [](const Emitted& e) { return e.event.is<SessionClosed>(); });
  REQUIRE(closed != decided->end());
  CHECK(closed->event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::start_failed});
  const auto freed = std::count_if(decided->begin(), decided->end(), [](const Emitted& e) {
    return e.event.is<AgentSessionReleased>();
  });
  CHECK(freed == 1);
}

}  // namespace
}  // namespace domain
