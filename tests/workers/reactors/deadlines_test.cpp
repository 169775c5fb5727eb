// Deadlines are passed when they are due, once, also after a restart, which gives them a fresh
// period.
#include "workers/reactors/deadlines.hpp"

#include "eventlog/log/stream_loader.hpp"
#include "tests/support/driven_loop.hpp"
#include "tests/support/under_way.hpp"

namespace workers {
namespace {

using base::Duration;
using base::Time;
using domain::EndReason;
using domain::SessionClosed;
using domain::SessionStatus;
using support::DrivenLoop;

constexpr Duration kLimit = std::chrono::minutes(30);
constexpr Duration kPace = std::chrono::seconds(30);

domain::Spawn limited(bool has_run_limit = false) {
  domain::Spawn c;
  c.spec = support::sample_spec(true);
  (has_run_limit ? c.spec.run_timeout : c.spec.idle_timeout) = kLimit;
  c.prompt = "work on it";
  return c;
}

// One server's life over lasting stores.
class Life {
 public:
  explicit Life(support::LastingStores& stores, std::int64_t now_us = 1'000'000,
                std::uint64_t seed = 5)
      : loop(stores.store, *stores.rows, {}, seed), now_us_(now_us) {
    loop.set_time(now_us_);
  }

  void restore(const domain::SessionState& state) { streams.restore(support::under_way(state)); }

  void step(bool has_taken_over = true) {
    loop.set_time(now_us_);
    loop.settle();
    loop.answer_reactors();
    for (; told_ < loop.events.size(); ++told_) {
      streams.fold(loop.events[told_]);
      deadlines.on_durable(loop.events[told_]);
    }
    deadlines.do_work({Time{now_us_}, Time{now_us_}, Duration{now_us_ - stepped_us_},
                       loop.sequencer.durable(), has_taken_over, flight_});
    now_us_ = std::max(now_us_, loop.time());
  }
  // The clock is set forward, and log time with it.
  void step_clock(Duration by) {
    now_us_ += by.count();
    stepped_us_ += by.count();
    step();
  }
  void run(Duration time, Duration pace = kPace) {
    for (const std::int64_t until = now_us_ + time.count(); now_us_ < until;) {
      now_us_ += pace.count();
      step();
    }
  }
  // Opens session 1, whose agent has ended its first turn, unless `runs`.
  void open(const domain::Spawn& spawn, bool runs = false) {
    REQUIRE(loop.ask(DrivenLoop::message(1, 1, support::as_command(spawn))));
    ask(domain::GrantLease{support::kWorker});
    ask(domain::LeaseReport{{1}, 1, domain::ReportAgentStarted{77, 88}});
    ask(domain::LeaseReport{{1}, 2, domain::ReportInitialized{"agent-session", "model", "1"}});
    domain::ReportTurnResult result;
    result.turn = base::TurnId{support::numbered<base::CommandId>(1).bytes};
    if (!runs) ask(domain::LeaseReport{{1}, 3, result});
    step();
  }
  template <class C>
  void ask(C command) {
    REQUIRE(loop.ask(DrivenLoop::message(1, ++commands_, support::as_command(std::move(command)))));
  }
  template <class E>
  std::vector<E> all() const {
    std::vector<E> found;
    for (const auto& event : loop.events) {
      if (const auto* one = event.event.as<E>()) found.push_back(*one);
    }
    return found;
  }
  std::int64_t now_us() const { return now_us_; }

  DrivenLoop loop;
  base::SeededRandom random{9};
  StreamsUnderWay streams;
  Deadlines deadlines{loop.worker, random, streams.of<domain::SessionStream>()};

 private:
  FlightRecorder flight_;
  std::size_t told_ = 0;
  std::int64_t now_us_;
  std::int64_t stepped_us_ = 0;
  int commands_ = 1;
};

domain::SessionState state_of(support::LastingStores& stores) {
  eventlog::StreamIndex index(*stores.rows);
  eventlog::SnapshotStore snapshots(*stores.rows);
  auto loaded =
      eventlog::load_stream(stores.store, index, snapshots,
                            domain::session_stream("main", support::numbered<base::SessionId>(1)));
  REQUIRE(loaded);
  return std::get<domain::SessionState>(loaded->state);
}

TEST_CASE("a session that waits is killed at its limit and not before", "[workers][R063]") {
  support::LastingStores stores;
  Life life(stores);
  life.open(limited());
  life.run(kLimit - std::chrono::minutes(1));
  CHECK(life.all<SessionClosed>().empty());
  life.run(std::chrono::minutes(2));
  CHECK(life.all<SessionClosed>() ==
        std::vector<SessionClosed>{{SessionStatus::killed, EndReason::idle}});
  life.run(std::chrono::minutes(1));
  CHECK(life.deadlines.next_timer() == Duration::max());  // nothing is watched any more
}

TEST_CASE("a step of the clock is no time in which a session waited", "[workers][R063]") {
  support::LastingStores stores;
  Life life(stores);
  life.open(limited());
  life.run(std::chrono::minutes(1));
  life.step_clock(3 * kLimit);
  life.run(kLimit - std::chrono::minutes(1));
  CHECK(life.all<SessionClosed>().empty());
  life.run(std::chrono::minutes(2));
  CHECK(life.all<SessionClosed>() ==
        std::vector<SessionClosed>{{SessionStatus::killed, EndReason::idle}});
}

TEST_CASE("a session that is killed is watched no more", "[workers]") {
  support::LastingStores stores;
  Life life(stores);
  life.open(limited(true), true);
  life.step();
  CHECK(life.deadlines.next_timer() < Duration::max());
  life.ask(domain::KillSession{});
  life.step();
  CHECK(life.deadlines.next_timer() == Duration::max());  // its lease has not ended yet
  life.run(2 * kLimit);
  CHECK(life.all<domain::InterruptRequested>().empty());
}

TEST_CASE("a prompt in time keeps a session from its limit", "[workers][R064]") {
  support::LastingStores stores;
  Life life(stores);
  life.open(limited());
  life.run(kLimit - std::chrono::minutes(1));
  life.ask(domain::SendPrompt{"and then?", false});
  life.run(kLimit);
  CHECK(life.all<SessionClosed>().empty());
  CHECK(life.all<domain::NothingChanged>().empty());
}

TEST_CASE("a turn is interrupted at its limit, and then its agent ended", "[workers][C21]") {
  support::LastingStores stores;
  Life life(stores);
  life.open(limited(true), true);
  life.run(kLimit + kPace);
  const auto asked = life.all<domain::InterruptRequested>();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].reason == EndReason::run_timeout);
  life.run(std::chrono::seconds(30), std::chrono::seconds(1));
  CHECK(life.all<SessionClosed>() ==
        std::vector<SessionClosed>{{SessionStatus::failed, EndReason::run_timeout}});
}

TEST_CASE("a new server gives a waiting session a fresh period", "[workers][R063]") {
  const Duration away =
      GENERATE(Duration{std::chrono::minutes(1)}, Duration{std::chrono::hours(24)});
  support::LastingStores stores;
  std::int64_t ended_at = 0;
  {
    Life life(stores);
    life.open(limited());
    life.run(kLimit - std::chrono::minutes(1));
    ended_at = life.now_us();
  }
  Life next(stores, ended_at + away.count(), 6);
  next.restore(state_of(stores));
  next.step(false);
  next.run(kLimit - std::chrono::minutes(1));
  CHECK(next.all<SessionClosed>().empty());
  next.run(std::chrono::minutes(2));
  CHECK(next.all<SessionClosed>().size() == 1);
}

TEST_CASE("the next deadline is told as a timer", "[workers]") {
  support::LastingStores stores;
  Life life(stores);
  CHECK(life.deadlines.next_timer() == Duration::max());
  life.open(limited());
  life.step();
  const Duration left = life.deadlines.next_timer() - Duration{life.now_us()};
  CHECK(left <= kLimit + std::chrono::seconds(1));
  CHECK(left > kLimit - std::chrono::seconds(1));
}

}  // namespace
}  // namespace workers
