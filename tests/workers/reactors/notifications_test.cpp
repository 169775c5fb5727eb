// Notifications are delivered in order, once, also over restarts; a sink that fails is tried again.
#include "workers/reactors/notifications.hpp"

#include <set>

#include "tests/support/driven_loop.hpp"

namespace workers {
namespace {

using base::Duration;
using base::Time;
using domain::NotificationDelivered;
using domain::NotificationFailed;
using domain::NotificationRequested;
using domain::NotificationTarget;
using support::DrivenLoop;

constexpr auto kChannel = static_cast<std::size_t>(NotificationTarget::channel);
constexpr auto kSystem = static_cast<std::size_t>(NotificationTarget::system);

// Sinks that a test answers for.
class Sinks final : public Notifier {
 public:
  void submit(DeliveryJob job) override { jobs.push_back(std::move(job)); }
  std::optional<DeliveryOutcome> poll() override {
    if (outcomes.empty()) return std::nullopt;
    DeliveryOutcome outcome = std::move(outcomes.front());
    outcomes.pop_front();
    return outcome;
  }
  void submit_show(ShowJob) override {}
  std::optional<ShowOutcome> poll_shown() override { return std::nullopt; }

  // Answers the oldest job that is under way.
  void answer(std::string error = {}) {
    REQUIRE_FALSE(jobs.empty());
    outcomes.push_back({jobs.front().notification,
                        jobs.front().requested.target,
                        std::move(error),
                        {},
                        {},
                        false});
    if (jobs.front().requested.target == NotificationTarget::parent) {
      outcomes.back().prompt = "Subagent fix-bug failed.";
    }
    jobs.pop_front();
  }

  std::deque<DeliveryJob> jobs;
  std::deque<DeliveryOutcome> outcomes;
};

CommandLoopOptions with_sinks(std::int64_t told_per_minute) {
  CommandLoopOptions options;
  options.limits.told_per_minute = told_per_minute;
  options.limits.sinks[kSystem] = options.limits.sinks[kChannel] = true;
  options.limits.sinks[static_cast<std::size_t>(NotificationTarget::parent)] = true;
  return options;
}

// One server's life over lasting stores.
class ToldLife {
 public:
  explicit ToldLife(support::LastingStores& stores, std::int64_t now_us = 1'000'000,
                    std::uint64_t seed = 5, std::int64_t told_per_minute = 0)
      : options(with_sinks(told_per_minute)),
        loop(stores.store, *stores.rows, options, seed),
        now_us_(now_us) {
    loop.set_time(now_us_);
  }

  void step(Duration time = Duration{0}) {
    now_us_ = std::max(now_us_ + time.count(), loop.time());
    loop.set_time(now_us_);
    for (int i = 0; i < 4; ++i) {
      loop.settle();
      loop.answer_reactors();
      for (; told_ < loop.events.size(); ++told_) reactor.on_durable(loop.events[told_]);
      reactor.do_work(cycle());
    }
    loop.settle();
  }
  Cycle cycle() {
    return {Time{now_us_}, Time{now_us_}, Duration{now_us_}, loop.sequencer.durable(),
            true,          flight_};
  }
  // Opens session `number` and kills it, which gives cause to a notification.
  void open_and_kill(int number, std::string channel = {}) {
    domain::Spawn spawn;
    spawn.origin_channel = std::move(channel);
    spawn.spec = support::sample_spec(true);
    spawn.prompt = "work on it";
    REQUIRE(loop.ask(DrivenLoop::message(number, number, support::as_command(spawn))));
    REQUIRE(loop.ask(
        DrivenLoop::message(number, 100 + number, support::as_command(domain::KillSession{}))));
  }
  template <class E>
  std::vector<E> all() const {
    std::vector<E> found;
    for (const auto& event : loop.events) {
      if (const auto* one = event.event.as<E>()) found.push_back(*one);
    }
    return found;
  }
  NotificationsAnswer list() {
    return *bus::from_body<NotificationsAnswer>(reactor.answer(loop.worker.durable()));
  }

  // Answers jobs until none is left.
  void answer_all() {
    while (!sinks.jobs.empty()) {
      sinks.answer();
      step();
    }
  }

  CommandLoopOptions options;
  DrivenLoop loop;
  std::unique_ptr<Sinks> owned = std::make_unique<Sinks>();
  Sinks& sinks = *owned;  // the reactor's
  base::SeededRandom random{9};
  Notifications reactor{loop.worker, std::move(owned), random};

 private:
  FlightRecorder flight_;
  std::size_t told_ = 0;
  std::int64_t now_us_;
};

TEST_CASE("a notification is delivered and recorded once", "[workers][C11][C12][C13]") {
  support::LastingStores stores;
  ToldLife life(stores);
  life.open_and_kill(1);
  life.step();
  REQUIRE(life.sinks.jobs.size() == 1);
  CHECK(life.sinks.jobs.front().requested.kind == domain::NotificationKind::killed);
  CHECK(life.list().notifications.size() == 1);
  life.sinks.answer();
  life.step();
  life.step(std::chrono::hours(2));
  CHECK(life.sinks.jobs.empty());
  CHECK(life.all<NotificationDelivered>().size() == 1);
  CHECK(life.list().notifications.empty());
  CHECK(life.list().delivered == 1);
}

TEST_CASE("nothing is delivered before its request is durable", "[workers]") {
  support::LastingStores stores;
  ToldLife life(stores);
  life.open_and_kill(1);
  FlightRecorder flight;
  const Time later{2'000'000};
  life.reactor.do_work({later, later, Duration{1}, base::Position{1}, true, flight});
  CHECK(life.sinks.jobs.empty());
}

TEST_CASE("each target has one delivery under way, the oldest", "[workers][D12]") {
  support::LastingStores stores;
  ToldLife life(stores);
  for (int number = 1; number <= 3; ++number) life.open_and_kill(number);
  life.step();
  REQUIRE(life.sinks.jobs.size() == 1);
  for (int number = 1; number <= 3; ++number) {
    CHECK(life.sinks.jobs.front().requested.session == support::numbered<base::SessionId>(number));
    life.sinks.answer();
    life.step();
  }
  CHECK(life.sinks.jobs.empty());
}

TEST_CASE("a failed delivery is tried again after its wait, and others go on",
          "[workers][C10][D12]") {
  support::LastingStores stores;
  ToldLife life(stores);
  life.open_and_kill(1);
  life.step();
  life.open_and_kill(2);
  life.sinks.answer("no answer");
  life.step();
  REQUIRE(life.all<NotificationFailed>().size() == 1);
  REQUIRE(life.sinks.jobs.size() == 1);
  CHECK(life.sinks.jobs.front().requested.session == support::numbered<base::SessionId>(2));
  life.sinks.answer();
  life.step(std::chrono::milliseconds(4'900));
  CHECK(life.sinks.jobs.empty());
  life.step(std::chrono::milliseconds(200));
  REQUIRE(life.sinks.jobs.size() == 1);
  CHECK(life.sinks.jobs.front().requested.session == support::numbered<base::SessionId>(1));
}

TEST_CASE("a sink that stays away is given up, and told on request", "[workers]") {
  support::LastingStores stores;
  ToldLife life(stores);
  life.open_and_kill(1);
  for (int i = 0; i < 8; ++i) {
    life.step(std::chrono::hours(2));
    life.sinks.answer("no answer");
    life.step();
  }
  life.step(std::chrono::hours(2));
  CHECK(life.sinks.jobs.empty());
  REQUIRE(life.list().notifications.size() == 1);
  CHECK(life.list().notifications.front().next_at == Time{});
  CHECK(life.list().notifications.front().error == "no answer");
  CHECK(life.list().notifications.front().has_sink);
  REQUIRE(
      life.loop.ask(DrivenLoop::message(0, 900, support::as_command(domain::RetryNotification{}))));
  life.step();
  CHECK(life.sinks.jobs.size() == 1);
}

TEST_CASE("what waits too long expires, whether or not there is a sink for it", "[workers][C11]") {
  support::LastingStores stores;
  {
    ToldLife life(stores);
    life.open_and_kill(1);
    life.step();
  }
  ToldLife later(stores, 1'000'000 + 3'600'000'000LL * 25, 6);
  later.step();
  later.step();
  CHECK(later.sinks.jobs.empty());
  const auto dropped = later.all<domain::NotificationDropped>();
  REQUIRE(dropped.size() == 1);
  CHECK(dropped.front().reason == domain::DropReason::expired);
}

TEST_CASE("a server that was killed within a delivery delivers it again", "[workers][C10]") {
  support::LastingStores stores;
  base::Position position;
  {
    ToldLife life(stores);
    life.open_and_kill(1);
    life.step();
    REQUIRE(life.sinks.jobs.size() == 1);
    position = life.sinks.jobs.front().notification;
  }
  ToldLife next(stores, 2'000'000, 6);
  next.step();
  REQUIRE(next.sinks.jobs.size() == 1);
  CHECK(next.sinks.jobs.front().notification == position);
  next.sinks.answer();
  next.step();
  ToldLife last(stores, 3'000'000, 7);
  last.step();
  CHECK(last.sinks.jobs.empty());
}

TEST_CASE("a place hears so much in a minute, also over a restart, and the rest waits",
          "[workers][C11][C13]") {
  constexpr std::int64_t kMinute = 60'000'000;
  support::LastingStores stores;
  std::int64_t heard_at = 0;
  {
    ToldLife life(stores, 1'000'000, 5, 2);
    for (int number = 1; number <= 5; ++number) life.open_and_kill(number);
    life.step();
    life.answer_all();
    CHECK(life.all<NotificationDelivered>().size() == 2);
    heard_at = life.loop.time();
    const NotificationsAnswer waiting = life.list();
    REQUIRE(waiting.notifications.size() == 3);
    CHECK(waiting.notifications.front().next_at.us > 1'000'000 + kMinute - 1);
    CHECK(waiting.notifications.front().next_at.us <= heard_at + kMinute);
    CHECK(waiting.notifications.back().next_at.us > 1'000'000 + 2 * kMinute - 1);
  }
  ToldLife next(stores, heard_at + 1'000'000, 6, 2);
  next.step();
  CHECK(next.sinks.jobs.empty());
  next.step(std::chrono::minutes(1));
  next.answer_all();
  CHECK(next.all<NotificationDelivered>().size() == 2);
  next.step(std::chrono::minutes(1));
  next.answer_all();
  CHECK(next.all<NotificationDelivered>().size() == 3);
}

TEST_CASE("a place that has heard enough holds up no other one", "[workers][C13][D12]") {
  support::LastingStores stores;
  ToldLife life(stores, 1'000'000, 5, 2);
  const auto heard = [&](const std::string& channel) {
    std::int64_t count = 0;
    std::map<base::Position, std::string> places;
    for (const auto& event : life.loop.events) {
      if (const auto* asked = event.event.as<NotificationRequested>()) {
        if (asked->target == NotificationTarget::channel) {
          places[event.envelope.position] = asked->channel;
        }
      } else if (const auto* told = event.event.as<NotificationDelivered>()) {
        const auto place = places.find(told->notification);
        if (place != places.end() && place->second == channel) ++count;
      }
    }
    return count;
  };
  for (int number = 1; number <= 4; ++number) life.open_and_kill(number, "telegram|1");
  life.open_and_kill(5, "telegram|2");
  life.step();
  life.answer_all();
  CHECK(heard("telegram|1") == 2);
  CHECK(heard("telegram|2") == 1);
  life.step(std::chrono::minutes(1));
  life.answer_all();
  CHECK(heard("telegram|1") == 4);
}

// Opens a parent, session 1, and its subagent, session 2, and kills the subagent. The news of that
// for the system waits.
void kill_subagent(ToldLife& life) {
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn(true))));
  domain::Spawn spawn;
  spawn.spec = support::sample_spec(false);
  spawn.prompt = "work on it";
  spawn.descriptor.kind = domain::DescriptorKind::subagent;
  spawn.descriptor.parent = support::numbered<base::SessionId>(1);
  REQUIRE(life.loop.ask(DrivenLoop::message(2, 2, support::as_command(spawn))));
  REQUIRE(life.loop.ask(DrivenLoop::message(2, 3, support::as_command(domain::KillSession{}))));
  life.step();
}

// Answers the job for the parent.
void answer_parent(ToldLife& life) {
  auto& jobs = life.sinks.jobs;
  const auto job = std::find_if(jobs.begin(), jobs.end(), [](const DeliveryJob& one) {
    return one.requested.target == NotificationTarget::parent;
  });
  REQUIRE(job != jobs.end());
  std::iter_swap(jobs.begin(), job);
  life.sinks.answer();
  life.step();
}

std::size_t prompts_from_subagent(const ToldLife& life) {
  std::size_t count = 0;
  for (const auto& queued : life.all<domain::TurnQueued>()) {
    count += queued.from == support::numbered<base::SessionId>(2) ? 1U : 0U;
  }
  return count;
}

TEST_CASE("a parent gets a prompt about its subagent, once", "[workers][R312][R316]") {
  support::LastingStores stores;
  ToldLife life(stores);
  kill_subagent(life);
  answer_parent(life);
  CHECK(prompts_from_subagent(life) == 1);
  CHECK(life.all<NotificationDelivered>().size() == 1);
}

TEST_CASE("a parent gets no second prompt if the server dies before it is recorded",
          "[workers][R312]") {
  support::LastingStores stores;
  {
    ToldLife life(stores);
    kill_subagent(life);
    // The prompt is accepted; that it is delivered is not on the record yet.
    domain::NotificationRequested requested;
    base::Position notification;
    for (const DeliveryJob& job : life.sinks.jobs) {
      if (job.requested.target != NotificationTarget::parent) continue;
      requested = job.requested;
      notification = job.notification;
    }
    life.sinks.outcomes.push_back(
        {notification, NotificationTarget::parent, {}, {}, "failed", false});
    life.reactor.do_work(life.cycle());
    life.loop.settle();
    CHECK(prompts_from_subagent(life) == 1);
    CHECK(life.all<NotificationDelivered>().empty());
  }
  ToldLife next(stores, 2'000'000, 6);
  next.step();
  answer_parent(next);
  CHECK(prompts_from_subagent(next) == 0);
  CHECK(next.all<NotificationDelivered>().size() == 1);
}

TEST_CASE("a parent that has ended is told nothing, and that is on the record", "[workers][C13]") {
  support::LastingStores stores;
  ToldLife life(stores);
  kill_subagent(life);
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 9, support::as_command(domain::KillSession{}))));
  answer_parent(life);
  CHECK(prompts_from_subagent(life) == 0);
  const auto dropped = life.all<domain::NotificationDropped>();
  REQUIRE(dropped.size() == 1);
  CHECK(dropped.front().reason == domain::DropReason::unreachable);
}

TEST_CASE("a place that hangs does not keep the others waiting", "[workers]") {
  support::LastingStores stores;
  ToldLife life(stores);
  const auto places = [&] {
    std::set<std::string> found;
    for (const DeliveryJob& job : life.sinks.jobs) {
      if (job.requested.target == NotificationTarget::channel) found.insert(job.requested.channel);
    }
    return found;
  };
  // Fails what is under way to the places that hang, as the limit of a delivery does.
  const auto fail_hanging = [&] {
    for (std::size_t left = life.sinks.jobs.size(); left > 0; --left) {
      const bool hangs = life.sinks.jobs.front().requested.channel.starts_with("hang|");
      life.sinks.answer(hangs ? "the program did not end" : "");
    }
    life.step();
  };
  for (int i = 1; i <= 10; ++i) life.open_and_kill(i, "hang|" + std::to_string(i));
  life.step();
  CHECK(places().size() == deliveries_at_once(NotificationTarget::channel));
  // Each of them fails once; from then on they take half of what goes at once.
  for (int i = 0; i < 4; ++i) fail_hanging();
  life.step(std::chrono::seconds(20));
  CHECK(places().size() == deliveries_at_once(NotificationTarget::channel) / 2);
  life.open_and_kill(11, "heard|1");
  life.step();
  CHECK(places().contains("heard|1"));
}

TEST_CASE("a place hears one notification at a time, in order", "[workers]") {
  support::LastingStores stores;
  ToldLife life(stores);
  for (int i = 1; i <= 3; ++i) life.open_and_kill(i, "telegram|1");
  life.step();
  const auto under_way = [&] {
    return std::count_if(life.sinks.jobs.begin(), life.sinks.jobs.end(), [](const auto& job) {
      return job.requested.target == NotificationTarget::channel;
    });
  };
  CHECK(under_way() == 1);
}

}  // namespace
}  // namespace workers
