// A session waits for a prompt, and a turn runs, for as long as its limits allow and no longer.
#include <algorithm>

#include "eventlog/domain/session/deciding.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::given;
using support::kToken;
using support::turn;

constexpr base::Duration kLimit = std::chrono::minutes(30);
constexpr Time kBegun{1'000'000};

template <class Limit>
std::vector<Fact> with(Limit SessionSpec::*limit, Limit value, std::vector<Fact> past) {
  past.front().event.get<SessionOpened>().spec.edit().*limit = value;
  return past;
}

std::vector<Fact> idle() {
  return with(&SessionSpec::idle_timeout, kLimit, support::idle());
}

std::vector<Fact> running(bool is_multi_turn = true) {
  return with(&SessionSpec::run_timeout, kLimit, support::running(is_multi_turn));
}

// The past, all of it at one log time.
support::Given at(Time time, const std::vector<Fact>& past) {
  support::Given world;
  for (const Fact& each : past) {
    Envelope envelope;
    envelope.log_time = time;
    envelope.token = each.token;
    envelope.report_sequence = each.sequence;
    world.fold(each, envelope);
  }
  world.context.now = time;
  return world;
}

support::Given after(support::Given world, base::Duration time) {
  world.context.now = world.context.now + time;
  return world;
}

ReportTurnResult interrupted_result() {
  ReportTurnResult r;
  r.turn = turn(1);
  r.is_error = true;
  r.basis = CostBasis::reported;
  return r;
}

TEST_CASE("a session that waits too long for a prompt is killed", "[session][R011][R063][D03]") {
  const auto world = at(kBegun, idle());
  CHECK(next_deadline(lease_state(world.session())) ==
        Deadline{DeadlineKind::idle, kBegun + kLimit});
  after(world, kLimit - base::Duration{1}).when(PassDeadline{DeadlineKind::idle}).then_nothing();
  after(world, kLimit)
      .when(PassDeadline{DeadlineKind::idle})
      .then(SessionClosed{SessionStatus::killed, EndReason::idle}, support::name_released(),
            support::place_released_with_lease());
}

TEST_CASE("a deadline passes although another one came before it", "[session][R063]") {
  // Whoever asks counts both from a start of the server, where their order can be another one.
  auto past = with(&SessionSpec::remind_after, base::Duration(std::chrono::minutes(10)), idle());
  after(at(kBegun, past), kLimit)
      .when(PassDeadline{DeadlineKind::idle})
      .then(SessionClosed{SessionStatus::killed, EndReason::idle}, support::name_released(),
            support::place_released_with_lease());
  after(at(kBegun, past), kLimit).when(PassDeadline{DeadlineKind::long_run}).then(LongRunReached{});
}

TEST_CASE("a prompt begins the wait anew", "[session][R064]") {
  auto world = at(kBegun, idle());
  Envelope later;
  later.log_time = kBegun + kLimit / 2;
  world.fold(TurnQueued{turn(2)}, later);
  CHECK_FALSE(next_deadline(lease_state(world.session())));
  world.fold(TurnStarted{turn(2), kToken}, later);
  world.fold(TurnFinished{turn(2), {}}, later);
  CHECK(next_deadline(lease_state(world.session())) ==
        Deadline{DeadlineKind::idle, later.log_time + kLimit});
}

TEST_CASE("nothing is killed for waiting that does not wait", "[session][R022][R024][R064][C25]") {
  const auto now = DeadlineKind::idle;
  SECTION("a turn runs") {
    const auto past = with(&SessionSpec::idle_timeout, kLimit, support::running());
    after(at(kBegun, past), kLimit).when(PassDeadline{now}).then_nothing();
  }
  SECTION("a task runs in the background") {
    after(at(kBegun, idle() + TasksChanged{1}), kLimit).when(PassDeadline{now}).then_nothing();
  }
  SECTION("it is closing") {
    after(at(kBegun, idle() + CloseRequested{}), kLimit).when(PassDeadline{now}).then_nothing();
  }
  SECTION("it has no limit") {
    after(at(kBegun, support::idle()), kLimit).when(PassDeadline{now}).then_nothing();
  }
  SECTION("it has ended") {
    const auto past = with(&SessionSpec::idle_timeout, kLimit, support::killed());
    after(at(kBegun, past), kLimit).when(PassDeadline{now}).then_nothing();
  }
  SECTION("its prompts wait behind a failure") {
    const auto past = idle() + TurnQueued{turn(2)} + QueuePaused{EndReason::turn_error};
    after(at(kBegun, past), kLimit).when(PassDeadline{now}).then_nothing();
  }
}

TEST_CASE("a turn that runs too long is interrupted", "[session]") {
  const auto world = at(kBegun, running());
  CHECK(next_deadline(lease_state(world.session())) ==
        Deadline{DeadlineKind::run, kBegun + kLimit});
  after(world, kLimit - base::Duration{1}).when(PassDeadline{DeadlineKind::run}).then_nothing();
  after(world, kLimit)
      .when(PassDeadline{DeadlineKind::run})
      .then(InterruptRequested{turn(1), EndReason::run_timeout});
}

TEST_CASE("a turn that ended at its limit fails as others do", "[session]") {
  const InterruptRequested asked{turn(1), EndReason::run_timeout};
  TurnCost cost;
  cost.basis = CostBasis::reported;
  const TurnInterrupted ended{turn(1), EndReason::run_timeout, cost};
  SECTION("prompts that wait are paused") {
    at(kBegun, running() + TurnQueued{turn(2)} + asked)
        .when(support::report(3, interrupted_result()))
        .then(ended, QueuePaused{EndReason::run_timeout});
  }
  SECTION("or go on, if that was asked for") {
    const auto past =
        with(&SessionSpec::continues_after_failure, true, running() + TurnQueued{turn(2)} + asked);
    at(kBegun, past)
        .when(support::report(3, interrupted_result()))
        .then(ended, TurnStarted{turn(2), kToken});
  }
  SECTION("a session without further prompts waits") {
    at(kBegun, running() + asked).when(support::report(3, interrupted_result())).then(ended);
  }
  SECTION("a session of one prompt fails") {
    at(kBegun, running(false) + asked)
        .when(support::report(3, interrupted_result()))
        .then(ended, SessionClosed{SessionStatus::failed, EndReason::run_timeout},
              support::name_released(), support::place_released_with_lease());
  }
  SECTION("an agent that exits instead has ended the turn as well") {
    ReportAgentExited exited;
    exited.has_run = true;
    exited.given = turn(1);
    const auto decided = at(kBegun, running() + TurnQueued{turn(2)} + asked)
                             .when(support::report(3, exited))
                             .outcome();
    REQUIRE(decided);
    REQUIRE(decided->size() == 4);
    CHECK((*decided)[2].event.get<TurnInterrupted>().reason == EndReason::run_timeout);
    CHECK((*decided)[3].event.get<QueuePaused>().reason == EndReason::run_timeout);
  }
}

TEST_CASE("an agent that goes on past its limit is ended with its session", "[session]") {
  const auto asked = at(kBegun, running() + InterruptRequested{turn(1), EndReason::run_timeout});
  CHECK(next_deadline(lease_state(asked.session())) ==
        Deadline{DeadlineKind::run, kBegun + kInterruptGrace});
  after(asked, kInterruptGrace - base::Duration{1})
      .when(PassDeadline{DeadlineKind::run})
      .then_nothing();
  const auto decided =
      after(asked, kInterruptGrace).when(PassDeadline{DeadlineKind::run}).outcome();
  REQUIRE(decided);
  CHECK((*decided)[0].event.get<TurnInterrupted>().reason == EndReason::run_timeout);
  CHECK((*decided)[1].event.get<SessionClosed>() ==
        SessionClosed{SessionStatus::failed, EndReason::run_timeout});
}

TEST_CASE("what a person asks for comes before a limit", "[session]") {
  const bool is_person_first = GENERATE(true, false);
  const InterruptRequested by_person{turn(1)};
  const InterruptRequested by_limit{turn(1), EndReason::run_timeout};
  auto past = running() + TurnQueued{turn(2)};
  past = is_person_first ? past + by_person + by_limit : past + by_limit + by_person;
  const auto decided = at(kBegun, past).when(support::report(3, interrupted_result())).outcome();
  REQUIRE(decided);
  CHECK((*decided)[0].event.get<TurnInterrupted>().reason == EndReason::user);
  CHECK((*decided)[1].event.get<TurnStarted>().turn == turn(2));
}

TEST_CASE("a person can still interrupt what a limit has interrupted, once", "[session]") {
  const auto past = running() + InterruptRequested{turn(1), EndReason::run_timeout};
  const auto asked =
      at(kBegun, past).when(InterruptTurn{turn(1)}).then(InterruptRequested{turn(1)});
  asked.when(InterruptTurn{turn(1)}).then(NothingChanged{std::string(InterruptTurn::kType)});
  // The agent still has no more time than the limit gave it.
  CHECK(next_deadline(lease_state(asked.session())) ==
        Deadline{DeadlineKind::run, kBegun + kInterruptGrace});
}

TEST_CASE("a worker that is lost at the limit does not change why the turn ended", "[session]") {
  const InterruptRequested asked{turn(1), EndReason::run_timeout};
  const auto decided = at(kBegun, running() + TurnQueued{turn(2)} + asked)
                           .when(ExpireLease{kToken, turn(1)})
                           .outcome();
  REQUIRE(decided);
  CHECK((*decided)[1].event.get<TurnInterrupted>().reason == EndReason::run_timeout);
  CHECK((*decided)[2].event.get<QueuePaused>().reason == EndReason::run_timeout);
}

TEST_CASE("a clean stop at the limit keeps the session", "[session]") {
  ReportAgentExited exited;
  exited.is_stopped = true;
  exited.has_run = true;
  exited.given = turn(1);
  const InterruptRequested asked{turn(1), EndReason::run_timeout};
  const auto decided = at(kBegun, running() + asked).when(support::report(3, exited)).outcome();
  REQUIRE(decided);
  CHECK(std::none_of(decided->begin(), decided->end(),
                     [](const Emitted& e) { return e.event.is<SessionClosed>(); }));
}

TEST_CASE("a turn that ends well just before its interrupt has ended well", "[session]") {
  ReportTurnResult result = interrupted_result();
  result.is_error = false;
  result.terminal_reason = "completed";
  const auto decided = at(kBegun, running() + TurnQueued{turn(2)} +
                                      InterruptRequested{turn(1), EndReason::run_timeout})
                           .when(support::report(3, result))
                           .outcome();
  REQUIRE(decided);
  CHECK((*decided)[0].event.is<TurnFinished>());
  CHECK((*decided)[1].event.get<TurnStarted>().turn == turn(2));
}

TEST_CASE("time before the server's start does not count", "[session]") {
  const Time up_since = kBegun + std::chrono::hours(24);
  CHECK(next_deadline(lease_state(at(kBegun, idle()).session()), up_since)->due ==
        up_since + kLimit);
  CHECK(next_deadline(lease_state(at(kBegun, running()).session()), up_since)->due ==
        up_since + kLimit);
  const Time before = kBegun + base::Duration{-1};
  CHECK(next_deadline(lease_state(at(kBegun, idle()).session()), before)->due == kBegun + kLimit);
}

// ---- the limits of a new session ----

Limits server_limits() {
  Limits limits;
  limits.idle_timeout = std::chrono::minutes(1);
  limits.run_timeout = std::chrono::minutes(2);
  limits.repeated_calls_max = 3;
  return limits;
}

SessionSpec opened_spec(const Spawn& spawn, std::vector<Fact> past = {}) {
  support::Given world = given(past).with_limits(server_limits());
  const auto decided = world.when(spawn).outcome();
  REQUIRE(decided);
  for (const Emitted& emitted : *decided) {
    if (const auto* opened = emitted.event.as<SessionOpened>()) return opened->spec;
  }
  FAIL("no session was opened");
  return {};
}

Spawn spawn(bool is_multi_turn = true) {
  Spawn c;
  c.name = "timely";
  c.spec = support::sample_spec(is_multi_turn);
  c.prompt = "work";
  return c;
}

TEST_CASE("a session has the server's limits, unless its spawn says otherwise", "[session]") {
  const SessionSpec unsaid = opened_spec(spawn());
  CHECK(unsaid.idle_timeout == std::chrono::minutes(1));
  CHECK(unsaid.run_timeout == std::chrono::minutes(2));
  CHECK(unsaid.repeated_calls_max == 3);
  CHECK(opened_spec(spawn(false)).idle_timeout.count() == 0);

  Spawn said = spawn();
  said.spec.idle_timeout = std::chrono::minutes(7);
  said.spec.run_timeout = base::Duration{-1};
  said.spec.repeated_calls_max = -1;
  const SessionSpec spec = opened_spec(said);
  CHECK(spec.idle_timeout == std::chrono::minutes(7));
  CHECK(spec.run_timeout.count() < 0);
  CHECK(spec.repeated_calls_max < 0);
}

TEST_CASE("a resumed session keeps the limits of the one before", "[session]") {
  std::vector<Fact> past = with(&SessionSpec::idle_timeout, kLimit, support::killed());
  auto& source = *past.front().event.as<SessionOpened>();
  source.session = source.lineage = support::kSource;
  source.spec.edit().run_timeout = base::Duration{-1};
  for (Fact& each : past) {
    if (each.stream.empty()) each = std::move(each).on(support::kSourceStream);
  }
  past.push_back(support::fact(LeaseReleased{kToken}).on(support::kSourceStream));
  Spawn resumes = spawn();
  resumes.resume = support::kSource;
  const SessionSpec spec = opened_spec(resumes, past);
  CHECK(spec.idle_timeout == kLimit);
  CHECK(spec.run_timeout.count() < 0);
  CHECK(spec.repeated_calls_max == 3);
}

}  // namespace
}  // namespace domain
