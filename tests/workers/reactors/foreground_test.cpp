// Output reaches the channels in the foreground from where each was, half a second after it began.
#include "workers/reactors/foreground.hpp"

#include "tests/support/driven_loop.hpp"
#include "tests/support/under_way.hpp"

namespace workers {
namespace {

using base::Duration;
using base::Position;
using base::Time;
using support::DrivenLoop;

const std::string kPlace = "telegram|1234";

class Sink final : public Notifier {
 public:
  void submit(DeliveryJob) override {}
  std::optional<DeliveryOutcome> poll() override { return std::nullopt; }
  void submit_show(ShowJob job) override { jobs.push_back(std::move(job)); }
  std::optional<ShowOutcome> poll_shown() override {
    if (outcomes.empty()) return std::nullopt;
    ShowOutcome outcome = std::move(outcomes.front());
    outcomes.pop_front();
    return outcome;
  }
  void answer(std::string error = {}) {
    REQUIRE_FALSE(jobs.empty());
    const ShowJob job = jobs.front();
    jobs.pop_front();
    const bool is_shown = error.empty();
    outcomes.push_back({job.agent, job.session, job.channel, is_shown ? job.through : job.after,
                        is_shown, false, std::move(error), false});
  }

  std::deque<ShowJob> jobs;
  std::deque<ShowOutcome> outcomes;
};

CommandLoopOptions with_channels() {
  CommandLoopOptions options;
  options.limits.sinks[static_cast<std::size_t>(domain::NotificationTarget::channel)] = true;
  return options;
}

class ShownLife {
 public:
  explicit ShownLife(support::LastingStores& stores, std::int64_t now_us = 1'000'000,
                     std::uint64_t seed = 5)
      : loop(stores.store, *stores.rows, with_channels(), seed), now_us_(now_us) {
    loop.set_time(now_us_);
  }

  void step(Duration time = Duration{0}) {
    now_us_ = std::max(now_us_ + time.count(), loop.time());
    loop.set_time(now_us_);
    for (int i = 0; i < 3; ++i) {
      loop.settle();
      loop.answer_reactors();
      for (; told_ < loop.events.size(); ++told_) reactor.on_durable(loop.events[told_]);
      reactor.do_work({Time{now_us_}, Time{now_us_}, Duration{now_us_}, loop.sequencer.durable(),
                       true, flight_});
    }
    loop.settle();
  }
  template <class C>
  void ask(C command) {
    REQUIRE(loop.ask(DrivenLoop::message(1, ++commands_, support::as_command(std::move(command)))));
  }
  // Opens session 1, whose agent runs its first turn.
  void open() {
    domain::Spawn spawn;
    spawn.spec = support::sample_spec(true);
    spawn.prompt = "work on it";
    ask(spawn);
    ask(domain::GrantLease{support::kWorker});
    ask(domain::LeaseReport{{1}, 1, domain::ReportAgentStarted{77, 88}});
    ask(domain::LeaseReport{{1}, 2, domain::ReportInitialized{"agent-session", "model", "1"}});
    reports_ = 2;
  }
  void say(const std::string& text) {
    ask(domain::LeaseReport{
        {1}, ++reports_, domain::ReportOutput{turn(), domain::OutputKind::text, text}});
  }
  void end_turn() {
    domain::ReportTurnResult result;
    result.turn = turn();
    ask(domain::LeaseReport{{1}, ++reports_, result});
  }
  std::vector<domain::OutputSeen> seen() const {
    std::vector<domain::OutputSeen> found;
    for (const auto& event : loop.events) {
      if (const auto* one = event.event.as<domain::OutputSeen>()) found.push_back(*one);
    }
    return found;
  }
  bool is_foreground() {
    bool is = false;
    for (const auto& event : loop.events) {
      const auto* one = event.event.as<domain::ForegroundChanged>();
      if (one != nullptr) is = one->is_foreground;
    }
    return is;
  }

  DrivenLoop loop;
  Sink sink;
  base::SeededRandom random{9};
  Foreground reactor{loop.worker, sink, random};

 private:
  base::TurnId turn() const { return base::TurnId{support::numbered<base::CommandId>(1).bytes}; }

  FlightRecorder flight_;
  std::size_t told_ = 0;
  std::int64_t now_us_;
  int commands_ = 0;
  std::int64_t reports_ = 0;
};

TEST_CASE("a channel that comes to the foreground is shown what it has not seen",
          "[workers][R062][R080]") {
  support::LastingStores stores;
  ShownLife life(stores);
  life.open();
  life.say("one");
  life.step(std::chrono::seconds(1));
  CHECK(life.sink.jobs.empty());
  life.ask(domain::SetForeground{kPlace, true});
  life.step();
  REQUIRE(life.sink.jobs.size() == 1);
  CHECK(life.sink.jobs.front().after == Position{0});
  const Position through = life.sink.jobs.front().through;
  life.sink.answer();
  life.step();
  REQUIRE(life.seen().size() == 1);
  CHECK((life.seen().front() == domain::OutputSeen{kPlace, through}));
  life.ask(domain::SetForeground{kPlace, false});
  life.say("two");
  life.step(std::chrono::seconds(1));
  CHECK(life.sink.jobs.empty());
  life.ask(domain::SetForeground{kPlace, true});
  life.step();
  REQUIRE(life.sink.jobs.size() == 1);
  CHECK(life.sink.jobs.front().after == through);
}

TEST_CASE("what comes together is shown together, after half a second", "[workers][R077]") {
  support::LastingStores stores;
  ShownLife life(stores);
  life.open();
  life.ask(domain::SetForeground{kPlace, true});
  life.step();
  life.sink.answer();
  life.say("one");
  life.step(std::chrono::milliseconds(300));
  life.say("two");
  life.step(std::chrono::milliseconds(150));
  CHECK(life.sink.jobs.empty());
  life.step(std::chrono::milliseconds(400));
  CHECK(life.sink.jobs.size() == 1);
}

TEST_CASE("the end of a turn waits for nothing", "[workers][R077]") {
  support::LastingStores stores;
  ShownLife life(stores);
  life.open();
  life.ask(domain::SetForeground{kPlace, true});
  life.step();
  life.sink.answer();
  life.say("one");
  life.end_turn();
  life.step();
  CHECK(life.sink.jobs.size() == 1);
}

TEST_CASE("a channel that cannot be reached leaves the foreground", "[workers]") {
  support::LastingStores stores;
  ShownLife life(stores);
  life.open();
  life.ask(domain::SetForeground{kPlace, true});
  for (int i = 0; i < 6; ++i) {
    life.step(std::chrono::minutes(5));
    life.sink.answer("no answer");
    life.step();
  }
  CHECK_FALSE(life.is_foreground());
  life.say("one");
  life.step(std::chrono::seconds(1));
  CHECK(life.sink.jobs.empty());
}

TEST_CASE("what is said while a failed text is tried again is shown next", "[workers]") {
  support::LastingStores stores;
  ShownLife life(stores);
  life.open();
  life.ask(domain::SetForeground{kPlace, true});
  life.step();
  life.sink.answer("no answer");
  life.step();
  life.step(std::chrono::seconds(6));
  REQUIRE(life.sink.jobs.size() == 1);
  life.say("last");
  life.end_turn();
  life.step();
  REQUIRE(life.sink.jobs.size() == 1);
  const Position through = life.sink.jobs.front().through;
  life.sink.answer();
  life.step();
  life.step(std::chrono::seconds(1));
  REQUIRE(life.sink.jobs.size() == 1);
  CHECK(life.sink.jobs.front().after == through);
}

TEST_CASE("an ended session leaves the foreground once all was shown", "[workers]") {
  support::LastingStores stores;
  ShownLife life(stores);
  life.open();
  life.ask(domain::SetForeground{kPlace, true});
  life.step();
  life.sink.answer();
  life.say("last");
  life.ask(domain::KillSession{});
  life.step();
  CHECK(life.is_foreground());
  life.sink.answer();
  life.step();
  CHECK_FALSE(life.is_foreground());
}

TEST_CASE("a channel that leaves and comes back has one text under way", "[workers]") {
  support::LastingStores stores;
  ShownLife life(stores);
  life.open();
  life.ask(domain::SetForeground{kPlace, true});
  life.step();
  REQUIRE(life.sink.jobs.size() == 1);
  life.ask(domain::SetForeground{kPlace, false});
  life.step();
  life.ask(domain::SetForeground{kPlace, true});
  life.step(std::chrono::seconds(1));
  CHECK(life.sink.jobs.size() == 1);
  life.sink.answer();
  life.step();
  CHECK(life.is_foreground());
}

TEST_CASE("only places that can be sent to are shown anything", "[workers]") {
  support::LastingStores stores;
  ShownLife life(stores);
  life.open();
  life.ask(domain::SetForeground{"terminal", true});
  life.say("one");
  life.step(std::chrono::seconds(1));
  CHECK(life.sink.jobs.empty());
}

TEST_CASE("after a restart a channel goes on where it was", "[workers][R061][D06]") {
  support::LastingStores stores;
  Position through;
  {
    ShownLife life(stores);
    life.open();
    life.ask(domain::SetForeground{kPlace, true});
    life.say("one");
    life.step();
    through = life.sink.jobs.front().through;
    life.sink.answer();
    life.step();
  }
  ShownLife next(stores, 2'000'000, 6);
  domain::SessionState state;
  state.session = support::numbered<base::SessionId>(1);
  state.agent = "main";
  state.viewers.edit()[kPlace] = {true, through};
  next.reactor.restore(support::under_way(state));
  next.step();
  REQUIRE(next.sink.jobs.size() == 1);
  CHECK(next.sink.jobs.front().after == through);
}

}  // namespace
}  // namespace workers
