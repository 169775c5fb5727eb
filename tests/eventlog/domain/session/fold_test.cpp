// Each event changes these fields of a session's state, and no others; or it cannot follow there.
#include <functional>

#include "eventlog/domain/event_codec.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::kSession;
using support::kSource;
using support::kWorker;
using support::numbered;
using support::turn;

// A session's life, event by event. Positions and versions differ, so that neither is taken for the
// other.
struct Life {
  SessionState state;
  LeaseState leases;
  Envelope envelope;

  Life() {
    envelope.position = {100};
    envelope.actor_kind = ActorKind::server;
  }

  // The event changes what `change` does to the state before it, and nothing else.
  void fold(const Event& event, const std::function<void(SessionState&)>& change) {
    envelope.position = envelope.position.next();
    envelope.version = envelope.version.next();
    SessionState expected = state;
    change(expected);
    evolve(state, envelope, event);
    evolve(leases, envelope, event);
    INFO(event.type() << " at " << envelope.position.value);
    REQUIRE(state.inconsistent == expected.inconsistent);
    REQUIRE((state == expected));
    REQUIRE((leases == lease_state(expected)));
  }
  void fold(const Event& event) {
    fold(event, [](SessionState&) {});
  }
  // It cannot follow: the state is marked, and as it was else.
  void refuses(const Event& event) const {
    Life other = *this;
    other.fold(event, [&](SessionState& s) { s.inconsistent = envelope.position.next(); });
  }
  Position at() const { return envelope.position; }
  StreamVersion version() const { return envelope.version; }
};

SessionOpened opening() {
  SessionOpened opened = support::opened();
  opened.spec.edit().model = "model";
  opened.spec.edit().budget = {5};
  opened.lineage = kSource;
  opened.carried_cost = {70};
  return opened;
}

TurnCost cost_of(std::int64_t unit) {
  return {{unit, 2 * unit, 3 * unit, 4 * unit}, {5 * unit}, {6 * unit}, 7 * unit, {}};
}

Life opened_life() {
  Life life;
  life.fold(opening(), [&](SessionState& s) {
    const SessionOpened e = opening();
    s.status = SessionStatus::starting;
    s.session = kSession;
    s.agent = "main";
    s.name = "fix-bug";
    s.alias = "alias000";
    s.spec = e.spec;
    s.lineage = kSource;
    s.opened = life.at();
    s.agent_total = {70};
  });
  return life;
}

// With turns 1 to 4 in its queue.
Life queued_life() {
  Life life = opened_life();
  for (int i = 1; i <= 4; ++i) {
    life.fold(TurnQueued{turn(i)}, [&](SessionState& s) {
      s.queue.push_back({turn(i), life.at(), life.version()});
    });
  }
  return life;
}

Life leased_life(std::int64_t token = 1) {
  Life life = queued_life();
  life.fold(LeaseGranted{kWorker, {token}, "agent-session"}, [&](SessionState& s) {
    Lease lease;
    lease.worker = kWorker;
    lease.token = {token};
    lease.resume_agent_session = "agent-session";
    s.lease = lease;
    s.last_token = {token};
  });
  return life;
}

// Turn 1 runs.
Life busy_life() {
  Life life = leased_life();
  life.fold(TurnStarted{turn(1), {1}}, [](SessionState& s) {
    s.turn = CurrentTurn{
        turn(1), s.queue[0].prompt, s.queue[0].version, false, false, {}, EndReason::none, {}};
    s.queue.erase(s.queue.begin());
  });
  return life;
}

Life ended_life() {
  Life life = opened_life();
  life.fold(SessionClosed{SessionStatus::killed, EndReason::user}, [](SessionState& s) {
    s.status = SessionStatus::killed;
    s.end_reason = EndReason::user;
  });
  return life;
}

TEST_CASE("each event of a session's life changes what it says, and nothing else", "[session]") {
  Life life = busy_life();
  life.envelope.token = {1};
  life.envelope.report_sequence = 1;
  life.fold(AgentStarted{4711, 99}, [](SessionState& s) {
    s.lease->pid = 4711;
    s.lease->start_ticks = 99;
    s.lease->report_sequence = 1;
  });
  life.envelope.report_sequence = 2;
  life.fold(AgentInitialized{"agent-session", "model", "2.0"}, [](SessionState& s) {
    s.status = SessionStatus::running;
    s.agent_session = "agent-session";
    s.lease->report_sequence = 2;
  });
  life.envelope.token = {};
  life.envelope.report_sequence = 0;
  life.fold(InterruptRequested{turn(1)},
            [](SessionState& s) { s.turn->is_interrupt_requested = true; });
  life.fold(OutputRecorded{turn(1), 1}, [](SessionState& s) { s.blocks = 1; });
  life.fold(OutputRecorded{turn(1), 2}, [](SessionState& s) { s.blocks = 2; });
  life.fold(TurnInterrupted{turn(3), EndReason::user, cost_of(900)},
            [](SessionState& s) { s.queue.erase(s.queue.begin() + 1); });
  life.fold(TurnFinished{turn(1), cost_of(1)}, [](SessionState& s) {
    s.turn.reset();
    s.usage = {1, 2, 3, 4};
    s.cost = {5};
    s.agent_total = {6};
  });
  life.fold(TurnStarted{turn(2), {1}}, [](SessionState& s) {
    s.turn = CurrentTurn{
        turn(2), s.queue[0].prompt, s.queue[0].version, false, false, {}, EndReason::none, {}};
    s.queue.erase(s.queue.begin());
  });
  life.fold(TurnFailed{turn(2), {}, {}, 0, cost_of(10)}, [](SessionState& s) {
    s.turn.reset();
    s.usage = {11, 22, 33, 44};
    s.cost = {55};
    s.agent_total = {60};
  });
  life.fold(CloseRequested{}, [](SessionState& s) { s.is_close_requested = true; });
  life.fold(TurnStarted{turn(4), {1}}, [](SessionState& s) {
    s.turn = CurrentTurn{
        turn(4), s.queue[0].prompt, s.queue[0].version, false, false, {}, EndReason::none, {}};
    s.queue.clear();
  });
  TurnCost untold = cost_of(100);
  untold.agent_total = {};  // the agent did not say: what it said last holds
  life.fold(TurnInterrupted{turn(4), EndReason::user, untold}, [](SessionState& s) {
    s.turn.reset();
    s.usage = {111, 222, 333, 444};
    s.cost = {555};
  });
  life.fold(LeaseReleased{{1}}, [](SessionState& s) { s.lease.reset(); });
  life.fold(LeaseGranted{numbered<WorkerId>(2), {5}, {}}, [](SessionState& s) {
    Lease lease;
    lease.worker = numbered<WorkerId>(2);
    lease.token = {5};
    s.lease = lease;
    s.last_token = {5};
  });
  life.fold(LeaseExpired{{5}}, [](SessionState& s) { s.lease.reset(); });
  life.fold(SessionClosed{SessionStatus::completed, EndReason::budget}, [](SessionState& s) {
    s.status = SessionStatus::completed;
    s.end_reason = EndReason::budget;
  });
  // A late word of the agent names its session, and does not bring it back.
  life.fold(AgentInitialized{"late", {}, {}}, [](SessionState& s) { s.agent_session = "late"; });
}

TEST_CASE("what a session's state does not depend on changes nothing of it", "[session]") {
  Life life = busy_life();
  for (const Event& event :
       {Event(PartialOutputRecorded{turn(1), 7}), Event(ToolCallStarted{turn(1), "c", "t"}),
        Event(ToolCallFinished{turn(1), "c"}), Event(AgentLineRecorded{}),
        Event(ReportIgnored{"x"}), Event(NothingChanged{"x"}), Event(AgentStartFailed{}),
        Event(AgentExited{1, 9}), Event(SessionResumed{kSource, true})}) {
    life.fold(event);
  }
}

TEST_CASE("a session that was resumed or forked has relatives", "[session]") {
  Life life = opened_life();
  const auto is_continued = [](SessionState& s) { s.is_continued = true; };
  life.fold(SessionResumed{kSource, GENERATE(false, true), false});
  life.fold(SessionResumed{kSource, GENERATE(false, true), true}, is_continued);
}

TEST_CASE("of texts the last one is known, and what of them was erased", "[session]") {
  Life life = opened_life();
  life.envelope.content = ContentProof{};
  life.fold(TurnQueued{turn(1)}, [&](SessionState& s) {
    s.queue.push_back({turn(1), life.at(), life.version()});
    s.last_content = life.version();
  });
  life.envelope.content.reset();
  const StreamVersion prompt = life.version();
  life.fold(ReportIgnored{"x"});
  life.refuses(ContentErased{{}, ErasureReason::requested});
  life.refuses(ContentErased{{{prompt, {4}}}, ErasureReason::requested});  // names itself
  life.refuses(ContentErased{{{{3}, {2}}}, ErasureReason::requested});
  life.refuses(ContentErased{{{{1}, {1}}, {{3}, {4}}}, ErasureReason::requested});
  life.refuses(ContentErasureCompleted{{1}});
  life.fold(ContentErased{{{prompt, {3}}}, ErasureReason::requested}, [&](SessionState& s) {
    s.erased.edit() = {{prompt, {3}}};
    s.erasure = life.version();
  });
  const StreamVersion first = life.version();
  life.fold(ContentErased{{{{1}, {1}}}, ErasureReason::retention}, [&](SessionState& s) {
    s.erased.edit() = {{{1}, {3}}};
    s.erasure = life.version();
  });
  const StreamVersion second = life.version();
  life.refuses(ContentErasureCompleted{second.next()});
  life.fold(ContentErasureCompleted{first}, [&](SessionState& s) { s.erasure_completed = first; });
  life.refuses(ContentErasureCompleted{first});
  life.fold(ContentErasureCompleted{second},
            [&](SessionState& s) { s.erasure_completed = second; });
}

TEST_CASE("a name that was made is known by its mark and its place, once", "[session]") {
  Life life;
  life.refuses(SessionNamed{3});
  SessionOpened unnamed = opening();
  unnamed.name.clear();
  evolve(life.state, life.envelope, Event(unnamed));
  evolve(life.leases, life.envelope, Event(unnamed));
  life.fold(SessionNamed{3}, [&](SessionState& s) {
    s.made_name = {life.at(), life.version(), 3};
  });
  life.refuses(SessionNamed{4});
  opened_life().refuses(SessionNamed{3});  // it was given one
}

TEST_CASE("commands of clients are remembered, and those of nobody else", "[session]") {
  Life life = opened_life();
  life.envelope.command = support::kCommand;
  life.envelope.command_digest = {7};
  for (const ActorKind kind : {ActorKind::server, ActorKind::worker}) {
    life.envelope.actor_kind = kind;
    life.fold(ReportIgnored{"x"});
  }
  life.envelope.actor_kind = ActorKind::client;
  life.fold(TurnQueued{turn(1)}, [&](SessionState& s) {
    s.queue.push_back({turn(1), life.at(), life.version()});
    s.commands.remember({support::kCommand, {7}, life.at()});
  });
  const auto known = known_command(life.state, support::kCommand);
  REQUIRE(known);
  CHECK(known->position == life.at());
  CHECK_FALSE(known_command(life.state, numbered<CommandId>(1)));
}

TEST_CASE("reports count for the lease that holds the session, and for no other", "[session]") {
  Life life = busy_life();
  life.envelope.token = {1};
  life.envelope.report_sequence = 4;
  life.fold(ReportIgnored{"x"}, [](SessionState& s) { s.lease->report_sequence = 4; });
  life.envelope.report_sequence = 0;  // an event that no report made
  life.fold(ReportIgnored{"x"});
  life.envelope.token = {2};
  life.envelope.report_sequence = 9;
  life.fold(ReportIgnored{"x"});
}

TEST_CASE("sums of what turns cost stay within what a snapshot can carry", "[session]") {
  for (const std::int64_t sign : {1, -1}) {
    Life life = busy_life();
    const std::int64_t most = sign * (base::kIntegerLimit - 1);
    TurnCost cost;
    cost.usage = {most, most, most, most};
    cost.cost = {most};
    life.state.usage = {sign, sign, sign, sign};
    life.state.cost = {sign};
    evolve(life.state, life.envelope, Event(TurnFinished{turn(1), cost}));
    CHECK(life.state.usage == Usage{most, most, most, most});
    CHECK(life.state.cost == NanoUsd{most});
  }
}

TEST_CASE("nothing happens to a session before it is opened, and it is opened once", "[session]") {
  const Life nobody;
  for (const std::string_view type : event_types()) {
    if (type != SessionOpened::kType) nobody.refuses(*make_event(type));
  }
  for (const Life& life : {opened_life(), busy_life(), ended_life()}) life.refuses(opening());
}

TEST_CASE("a session that waits for its first lease has no turn that could go on", "[session]") {
  const Life life = queued_life();
  life.refuses(TurnStarted{turn(1), {1}});
  life.refuses(TurnStarted{turn(1), {0}});
  life.refuses(InterruptRequested{turn(1)});
  life.refuses(TurnFinished{turn(1), cost_of(1)});
  life.refuses(TurnFailed{turn(1), {}, {}, 0, cost_of(1)});
  life.refuses(TurnInterrupted{turn(9), EndReason::user, cost_of(1)});
  life.refuses(OutputRecorded{turn(1), 0});
  life.refuses(OutputRecorded{turn(1), 2});
  life.refuses(LeaseReleased{{1}});
  life.refuses(LeaseReleased{{0}});
  life.refuses(LeaseExpired{{1}});
  life.refuses(LeaseGranted{kWorker, {0}, {}});  // no greater than the last
  life.refuses(AgentStarted{4711, 99});
  life.refuses(SessionClosed{SessionStatus::killed, EndReason::user});
}

TEST_CASE("under a lease only its own turn goes on, and nobody else has one", "[session]") {
  const Life idle = leased_life();
  idle.refuses(LeaseGranted{kWorker, {2}, {}});
  idle.refuses(LeaseReleased{{2}});
  idle.refuses(LeaseExpired{{2}});
  idle.refuses(TurnStarted{turn(2), {1}});  // turn 1 is before it
  idle.refuses(TurnStarted{turn(1), {2}});
  const Life busy = busy_life();
  busy.refuses(TurnStarted{turn(2), {1}});
  busy.refuses(InterruptRequested{turn(2)});
  busy.refuses(TurnFinished{turn(2), cost_of(1)});
  busy.refuses(TurnFailed{turn(2), {}, {}, 0, cost_of(1)});
  busy.refuses(TurnInterrupted{turn(9), EndReason::user, cost_of(1)});
  Life last = busy_life();
  last.state.queue.clear();
  last.leases.queue.clear();
  last.refuses(SessionClosed{SessionStatus::killed, EndReason::user});  // its turn runs
}

TEST_CASE("a lease is as new as its token is greater than all before", "[session]") {
  Life life = leased_life(4);
  life.fold(LeaseExpired{{4}}, [](SessionState& s) { s.lease.reset(); });
  for (const std::int64_t old : {3, 4}) life.refuses(LeaseGranted{kWorker, {old}, {}});
  life.refuses(LeaseExpired{{4}});
  life.refuses(LeaseReleased{{4}});
  life.refuses(TurnStarted{turn(1), {4}});
  life.refuses(AgentStarted{4711, 99});
}

TEST_CASE("an ended session takes up nothing, and ends once", "[session]") {
  const Life life = ended_life();
  life.refuses(TurnQueued{turn(1)});
  life.refuses(TurnStarted{turn(1), {1}});
  life.refuses(LeaseGranted{kWorker, {9}, {}});
  life.refuses(CloseRequested{});
  life.refuses(SessionClosed{SessionStatus::failed, EndReason::budget});
  for (const SessionStatus status :
       {SessionStatus::none, SessionStatus::starting, SessionStatus::running}) {
    opened_life().refuses(SessionClosed{status, EndReason::user});
  }
}

TEST_CASE("a session is under way while it lives or has a lease to end", "[session]") {
  CHECK_FALSE(is_under_way(SessionState{}));
  CHECK_FALSE(is_under_way(LeaseState{}));
  CHECK(is_under_way(opened_life().state));
  CHECK(is_under_way(opened_life().leases));
  Life ended = ended_life();
  CHECK_FALSE(is_under_way(ended.state));
  CHECK_FALSE(is_under_way(ended.leases));
  ended.state.lease = Lease{};
  ended.leases.lease = Lease{};
  CHECK(is_under_way(ended.state));
  CHECK(is_under_way(ended.leases));
}

}  // namespace
}  // namespace domain
