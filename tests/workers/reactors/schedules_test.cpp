// Schedules that are due run once, over restarts and refusals, and each run has an outcome.
#include "workers/reactors/schedules.hpp"

#include "tests/support/driven_loop.hpp"
#include "tests/support/fixed_time_zones.hpp"

namespace workers {
namespace {

using base::Duration;
using base::Time;
using domain::RunRefused;
using domain::RunTaken;
using domain::ScheduleFired;
using support::DrivenLoop;

const support::FixedTimeZones kUtcAlone({}, {});
constexpr std::int64_t kMicros = 1'000'000;

// Those of a machine without a database.
class NoTimeZones final : public domain::TimeZones {
 public:
  bool has(const std::string&) const override { return false; }
  std::chrono::minutes local(const std::string&, Time) const override { return {}; }
  domain::ShownAt moments(const std::string&, std::chrono::minutes) const override { return {}; }
};

CommandLoopOptions with_zones(std::int64_t max_sessions, const domain::TimeZones* zones) {
  CommandLoopOptions options;
  options.zones = zones;
  options.limits.max_sessions = max_sessions;
  return options;
}

// One server's life over lasting stores.
class ScheduledLife {
 public:
  explicit ScheduledLife(support::LastingStores& stores, std::int64_t now_us = kMicros,
                         std::uint64_t seed = 5, std::int64_t max_sessions = 5,
                         const domain::TimeZones* zones = &kUtcAlone)
      : loop(stores.store, *stores.rows, with_zones(max_sessions, zones), seed), now_us_(now_us) {
    loop.set_time(now_us_);
    reactor.begin({}, 1);
  }

  void step(Duration time = Duration{0}, int cycles = 6) {
    now_us_ = std::max(now_us_ + time.count(), loop.time());
    loop.set_time(now_us_);
    for (int i = 0; i < cycles; ++i) {
      loop.settle();
      loop.answer_reactors();
      for (; told_ < loop.events.size(); ++told_) reactor.on_durable(loop.events[told_]);
      reactor.do_work({Time{now_us_}, Time{now_us_}, Duration{now_us_}, loop.sequencer.durable(),
                       true, flight_});
    }
    loop.settle();
  }
  void ask(int command, const domain::SchedulesCommand& wanted) {
    REQUIRE(loop.ask(DrivenLoop::message(0, command, wanted)));
  }
  // Adds "often", which is due every minute.
  void add(domain::RunKind kind = domain::RunKind::session, bool uses_subagent = false) {
    domain::ScheduleSpec spec;
    spec.name = "often";
    spec.kind = domain::ScheduleKind::every;
    spec.when = "1m";
    spec.zone = "UTC";
    spec.overlaps = true;
    spec.run = kind;
    spec.uses_subagent = uses_subagent;
    spec.agent = "main";
    spec.session = support::sample_spec(kind == domain::RunKind::heartbeat);
    spec.prompt = "look around";
    ask(900, domain::AddSchedule{spec});
  }
  template <class E>
  std::vector<E> all() const {
    std::vector<E> found;
    for (const auto& event : loop.events) {
      if (const auto* one = event.event.as<E>()) found.push_back(*one);
    }
    return found;
  }
  SchedulesAnswer list() {
    return *bus::from_body<SchedulesAnswer>(reactor.answer(loop.worker.durable()));
  }

  DrivenLoop loop;
  base::SeededRandom random{9};
  Schedules reactor{loop.worker, random};

 private:
  FlightRecorder flight_;
  std::size_t told_ = 0;
  std::int64_t now_us_;
};

TEST_CASE("a run opens a session that says what it is for", "[workers][schedules][R304]") {
  support::LastingStores stores;
  ScheduledLife life(stores);
  life.add();
  life.step(std::chrono::seconds(59));
  CHECK(life.all<ScheduleFired>().empty());
  life.step(std::chrono::seconds(2));
  const auto opened = life.all<domain::SessionOpened>();
  REQUIRE(opened.size() == 1);
  CHECK(opened.front().descriptor->kind == domain::DescriptorKind::cron);
  CHECK(opened.front().descriptor->task == "often");
  CHECK(life.all<RunTaken>().size() == 1);
  REQUIRE(life.list().schedules.size() == 1);
  CHECK(life.list().schedules.front().runs.back().outcome == domain::RunOutcome::taken);
}

TEST_CASE("a run that was begun when the server died is begun once", "[workers][schedules][C12]") {
  // So many cycles before the server dies.
  for (int cycles = 1; cycles < 8; ++cycles) {
    CAPTURE(cycles);
    support::LastingStores stores;
    std::size_t opened = 0;
    {
      ScheduledLife life(stores);
      life.add();
      life.step(std::chrono::seconds(61), cycles);
      opened = life.all<domain::SessionOpened>().size();
    }
    ScheduledLife next(stores, 80 * kMicros, 6);
    next.step();
    opened += next.all<domain::SessionOpened>().size();
    CHECK(opened == 1);
    REQUIRE(next.list().schedules.size() == 1);
    CHECK(next.list().schedules.front().fired == 1);
    CHECK(next.list().schedules.front().runs.back().outcome == domain::RunOutcome::taken);
  }
}

TEST_CASE("a run waits while there is no room, and not for ever", "[workers][schedules][C30]") {
  support::LastingStores stores;
  ScheduledLife life(stores, kMicros, 5, 1);
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn(true))));
  life.add();
  life.step(std::chrono::seconds(61));
  CHECK(life.all<ScheduleFired>().size() == 1);
  CHECK(life.all<RunRefused>().empty());

  SECTION("it begins when there is") {
    REQUIRE(life.loop.ask(DrivenLoop::message(1, 2, support::as_command(domain::KillSession{}))));
    life.step(std::chrono::seconds(6));
    CHECK(life.all<RunTaken>().size() == 1);
  }
  SECTION("after an hour it is refused, with the reason") {
    for (int i = 0; i < 62; ++i) life.step(std::chrono::seconds(61));
    const auto refused = life.all<RunRefused>();
    REQUIRE(refused.size() == 1);
    CHECK(refused.front().error.find("session_limit: 1 of 1 sessions are running") == 0);
    CHECK(life.all<domain::ScheduleSkipped>().front().reason == domain::SkipReason::waiting);
  }
}

TEST_CASE("a run that can never begin is refused at once", "[workers][schedules][C30]") {
  support::LastingStores stores;
  ScheduledLife life(stores);
  domain::ScheduleSpec spec;
  spec.name = "remind";
  spec.kind = domain::ScheduleKind::every;
  spec.when = "1m";
  spec.zone = "UTC";
  spec.run = domain::RunKind::message;
  spec.agent = "main";
  spec.to = support::numbered<base::SessionId>(77);
  spec.prompt = "go on";
  REQUIRE(life.loop.ask(DrivenLoop::message(77, 77, DrivenLoop::spawn(true))));
  life.ask(900, domain::AddSchedule{spec});
  REQUIRE(life.loop.ask(DrivenLoop::message(77, 78, support::as_command(domain::KillSession{}))));
  life.step(std::chrono::seconds(61));
  const auto refused = life.all<RunRefused>();
  REQUIRE(refused.size() == 1);
  CHECK(refused.front().error.find("session_ended: ") == 0);
}

TEST_CASE("a removed schedule's run that waits for room is refused", "[workers][schedules]") {
  support::LastingStores stores;
  ScheduledLife life(stores, kMicros, 5, 1);
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn(true))));
  life.add();
  life.step(std::chrono::seconds(61));
  life.ask(901, domain::RemoveSchedule{"often"});
  for (int i = 0; i < 2; ++i) life.step(std::chrono::seconds(6));
  REQUIRE(life.all<RunRefused>().size() == 1);
  CHECK(life.list().schedules.empty());
}

TEST_CASE("a run by hand begins although nobody can tell when the next one is due",
          "[workers][schedules]") {
  support::LastingStores stores;
  {
    ScheduledLife life(stores);
    domain::ScheduleSpec spec;
    spec.name = "nightly";
    spec.kind = domain::ScheduleKind::cron;
    spec.when = "* * * * *";
    spec.zone = support::FixedTimeZones::kZone;
    spec.agent = "main";
    spec.session = support::sample_spec(false);
    spec.prompt = "look around";
    life.ask(900, domain::AddSchedule{spec});
  }
  static const NoTimeZones kNone;
  ScheduledLife life(stores, 100 * kMicros, 6, 5, &kNone);
  life.step();
  CHECK(life.all<ScheduleFired>().empty());
  CHECK(life.list().faults.at("nightly").find("cannot tell when") != std::string::npos);
  life.ask(901, domain::RunSchedule{"nightly", support::numbered<base::CommandId>(700)});
  life.step();
  CHECK(life.all<RunTaken>().size() == 1);
}

TEST_CASE("all heartbeats go to one session", "[workers][schedules][R303]") {
  support::LastingStores stores;
  ScheduledLife life(stores);
  life.add(domain::RunKind::heartbeat);
  for (int i = 0; i < 3; ++i) life.step(std::chrono::seconds(61));
  const auto opened = life.all<domain::SessionOpened>();
  REQUIRE(opened.size() == 1);
  CHECK(opened.front().descriptor->kind == domain::DescriptorKind::heartbeat);
  CHECK(opened.front().spec->is_multi_turn);
  CHECK(life.all<domain::TurnQueued>().size() == 3);
  CHECK(life.all<RunTaken>().size() == 3);
}

TEST_CASE("a heartbeat that is left to a subagent is a prompt to start one",
          "[workers][schedules][R303]") {
  support::LastingStores stores;
  ScheduledLife life(stores);
  life.add(domain::RunKind::heartbeat, true);
  for (int i = 0; i < 2; ++i) life.step(std::chrono::seconds(61));
  std::vector<std::string> prompts;
  for (const auto& event : life.loop.events) {
    if (event.event.is<domain::TurnQueued>()) {
      prompts.push_back(event.content.value().text);
    }
  }
  REQUIRE(prompts.size() == 2);
  CHECK(prompts[0].starts_with("look around\n\nThis is a task for a subagent."));
  CHECK(prompts[1] == prompts[0]);
  CHECK(life.all<domain::SessionOpened>().size() == 1);
  for (const auto& event : life.loop.events) {
    if (!event.event.is<domain::SessionNamed>()) continue;
    CHECK(event.content.value().text.starts_with("often"));
  }
}

TEST_CASE("a run that somebody asks for runs now", "[workers][schedules]") {
  support::LastingStores stores;
  ScheduledLife life(stores);
  life.add();
  life.ask(901, domain::RunSchedule{"often", support::numbered<base::CommandId>(700)});
  life.step();
  REQUIRE(life.all<domain::SessionOpened>().size() == 1);
  CHECK(life.all<domain::SessionOpened>().front().session ==
        support::numbered<base::SessionId>(700));
}

}  // namespace
}  // namespace workers
