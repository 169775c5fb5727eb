// A session that waits without an agent process is parked and takes no place. Its next prompt takes
// one, or waits in line until one is free.
#include <algorithm>

#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::kAdmission;
using support::kOwnTurn;
using support::kSession;
using support::kToken;
using support::kWorker;
using support::numbered;
using support::parked;
using support::turn;
using support::unleased;
using support::unparked;

constexpr FencingToken kNextToken{2};
const auto kOther = numbered<SessionId>(7);
const auto kThird = numbered<SessionId>(8);

Limits one_place() {
  Limits limits;
  limits.max_sessions = 1;
  return limits;
}

support::Fact admitted(SessionId session, const std::string& alias) {
  return fact(SessionAdmitted{session, "other", alias}).on(kAdmission);
}
support::Fact awaited(SessionId session = kSession) {
  return fact(PlaceAwaited{session}).on(kAdmission);
}
support::Fact released(SessionId session) {
  return fact(SessionReleased{session}).on(kAdmission);
}

// The session is parked, and the only place is another one's.
std::vector<support::Fact> crowded_out() {
  return unleased() + admitted(kOther, "other007");
}

// As crowded_out(), with turn 2 in line.
std::vector<support::Fact> in_line() {
  return crowded_out() + TurnQueued{turn(2)} + QueuePaused{EndReason::session_limit} + awaited();
}

Spawn spawn_third() {
  Spawn spawn = support::spawn_command();
  spawn.name = "third";
  return spawn;
}

// Returns what a spawn of a third session decides.
Decided spawned_beside(const std::vector<support::Fact>& past) {
  support::Given world = given(past).with_limits(one_place());
  world.context.target = support::session_ref("main", kThird);
  return world.streams.decide(support::as_command(spawn_third()), world.context);
}

TEST_CASE("a session is parked when its agent process has ended and it has no work",
          "[session][R026][R063]") {
  ReportAgentExited stopped;
  stopped.is_stopped = stopped.has_run = true;
  SECTION("as its agent was stopped") {
    const auto after = given(support::idle())
                           .when(support::report(4, stopped))
                           .then(AgentExited{0, 0, true}, LeaseReleased{kToken}, parked());
    CHECK(after.session().status == SessionStatus::running);
    CHECK(places_taken(after.admission()) == 0);
  }
  SECTION("as its worker died") {
    given(support::idle()).when(ExpireLease{kToken, {}}).then(LeaseExpired{kToken}, parked());
  }
  SECTION("as the last prompt is withdrawn that would have started one") {
    const auto world = given(support::idle(), TurnQueued{turn(2)}, TurnStarted{turn(2), kToken},
                             TurnReturned{turn(2)}, LeaseExpired{kToken});
    CHECK(places_taken(world.admission()) == 1);
    world.when(InterruptTurn{turn(2)})
        .then(TurnInterrupted{turn(2), EndReason::user, {}}, parked());
  }
  SECTION("as an earlier release left it") {
    given(support::idle(), LeaseExpired{kToken})
        .when(PassDeadline{DeadlineKind::start})
        .then(parked());
  }
}

TEST_CASE("a session keeps its place while an agent is to be started for it", "[session][R026]") {
  const auto world = given(support::running()).when(ExpireLease{kToken, {}});
  REQUIRE(world.outcome());
  for (const Emitted& one : *world.outcome()) CHECK(one.stream != kAdmission);
}

TEST_CASE("the next prompt of a parked session takes a place again", "[session][R026]") {
  const auto sent = given(unleased()).when(SendPrompt{"on", false});
  REQUIRE(sent.outcome());
  CHECK(sent.outcome()->size() == 1);
  const auto after = given(unleased(), TurnQueued{turn(2)})
                         .when(GrantLease{kWorker})
                         .then(LeaseGranted{kWorker, kNextToken, "agent-session", {}, NanoUsd{}},
                               TurnStarted{turn(2), kNextToken}, unparked());
  CHECK(places_taken(after.admission()) == 1);
}

TEST_CASE("a parked session leaves its place to others, and not its name", "[session][R026]") {
  CHECK(spawned_beside(unleased()));
  const auto full = spawned_beside(support::idle());
  REQUIRE_FALSE(full);
  CHECK(full.error().code == RejectionCode::session_limit);
  CHECK(full.error().text ==
        "1 of 1 sessions are running (max_sessions); kill one first, or raise the limit");
  CHECK(given(unleased()).admission().names == given(support::idle()).admission().names);
}

TEST_CASE("a prompt for which there is no place waits in line", "[session][R026]") {
  SECTION("as it is sent") {
    const auto after = given(crowded_out())
                           .with_limits(one_place())
                           .when(SendPrompt{"on", false})
                           .then(fact(TurnQueued{kOwnTurn}).with("on"),
                                 QueuePaused{EndReason::session_limit}, awaited());
    CHECK(attention_of(after.session()) == Attention::none);
    CHECK(reply(after.session(), SendPrompt{}).pause == EndReason::session_limit);
  }
  SECTION("as the place was taken meanwhile") {
    given(crowded_out(), TurnQueued{turn(2)})
        .with_limits(one_place())
        .when(GrantLease{kWorker})
        .then(QueuePaused{EndReason::session_limit}, awaited());
  }
  SECTION("and nothing is told twice") {
    const auto world = given(in_line()).with_limits(one_place());
    world.when(GrantLease{kWorker}).then_nothing();
    world.when(SendPrompt{"more", false}).then(fact(TurnQueued{kOwnTurn}).with("more"));
    world.when(ContinueSession{}).then_rejected(RejectionCode::session_limit);
  }
}

TEST_CASE("a place that is free goes to the first in line", "[session][R026]") {
  const auto world = given(in_line(), released(kOther)).with_limits(one_place());
  world.when(GrantLease{kWorker})
      .then(QueueContinued{}, LeaseGranted{kWorker, kNextToken, "agent-session", {}, NanoUsd{}},
            TurnStarted{turn(2), kNextToken}, unparked());
  // It was there before any new session.
  const auto refused = spawned_beside(in_line() + released(kOther));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text.find("0 of 1 sessions are running (max_sessions), and 1 more waits") ==
        0);
  // Another one is before it.
  const auto second =
      given(unleased(), admitted(kOther, "other007"), admitted(kThird, "other008"),
            fact(SessionParked{kThird}).on(kAdmission), awaited(kThird), TurnQueued{turn(2)},
            QueuePaused{EndReason::session_limit}, awaited(), released(kOther));
  second.with_limits(one_place()).when(GrantLease{kWorker}).then_nothing();
}

TEST_CASE("whoever wants no place any more leaves the line", "[session][R026]") {
  const auto world = given(in_line()).with_limits(one_place());
  SECTION("as its prompt is withdrawn") {
    const auto after = world.when(InterruptTurn{turn(2)})
                           .then(TurnInterrupted{turn(2), EndReason::user, {}}, parked());
    CHECK(after.admission().awaiting.empty());
    CHECK(after.session().pause == EndReason::none);
  }
  SECTION("as it is killed") {
    const auto after = world.when(KillSession{})
                           .then(TurnInterrupted{turn(2), EndReason::session_ended, {}},
                                 SessionClosed{SessionStatus::killed, EndReason::user},
                                 support::name_released(), support::place_released());
    CHECK(after.admission().awaiting.empty());
    CHECK(after.admission().parked.empty());
  }
  SECTION("as the budget of the day is spent first") {
    Limits limits = one_place();
    limits.daily_budget.value = 1;
    const auto spent = given(in_line(), fact(AgentSpent{kOther, {5}}).on(budget_stream("main")));
    const auto after = spent.with_limits(limits)
                           .when(GrantLease{kWorker})
                           .then(QueuePaused{EndReason::daily_budget}, parked());
    CHECK(after.admission().awaiting.empty());
  }
}

TEST_CASE("that a session may wait for ever is not handed on", "[session][R063]") {
  auto past = support::killed();
  past.front().event.get<SessionOpened>().spec.edit().idle_timeout = base::Duration{-1};
  past.push_back(LeaseExpired{kToken});
  past.push_back(support::settled());
  Limits limits;
  limits.idle_timeout = std::chrono::minutes(30);
  support::Given world = given(past).with_limits(limits);
  world.context.target = support::session_ref("main", kThird);
  Spawn resume = support::spawn_command();
  resume.resume = kSession;
  for (const base::Duration said : {base::Duration{0}, base::Duration{-1}}) {
    resume.spec.idle_timeout = said;
    const auto decided = world.streams.decide(support::as_command(resume), world.context);
    REQUIRE(decided);
    const auto opened = std::find_if(decided->begin(), decided->end(), [](const Emitted& one) {
      return one.event.is<SessionOpened>();
    });
    REQUIRE(opened != decided->end());
    const base::Duration limit = opened->event.get<SessionOpened>().spec->idle_timeout;
    CHECK(limit == (said.count() < 0 ? said : limits.idle_timeout));
  }
}

}  // namespace
}  // namespace domain
