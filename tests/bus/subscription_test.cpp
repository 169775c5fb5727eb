#include "bus/subscription.hpp"

#include <algorithm>
#include <memory>

#include "bus/client.hpp"
#include "bus/memory_bus.hpp"
#include "tests/bus/feed_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/manual_clock.hpp"

namespace {

using base::Duration;
using base::Position;
using feed_world::Log;
using feed_world::Server;
using support::ManualClock;

// A subscriber with a client of its own.
struct Follower {
  Follower(bus::MemoryBus& world, ManualClock& clock, base::Random& random, const std::string& name,
           bus::SubscriptionOptions options, std::size_t queue_max)
      : level(options.level),
        start(options.after),
        feed(world.connect_subscriber("feed", name, queue_max)),
        socket(world.connect_client("command", name)),
        client(*socket, clock, random, {{}, "memory", Duration{200'000}, Duration{500'000}}),
        reader(client, Duration{2'000'000}),
        subscription(*feed, reader, random, std::move(options)) {}

  void do_work(Duration now) {
    client.do_work(now);
    subscription.do_work(now);
    while (auto event = subscription.receive()) {
      if (!*event) {
        error = event->error();
        return;
      }
      if ((*event)->position > Position{0}) seen.push_back(**event);
    }
  }

  const std::string level;
  const Position start;
  std::unique_ptr<bus::SubscriberSocket> feed;
  std::unique_ptr<bus::ClientSocket> socket;
  bus::Client client;
  bus::ClientLogReader reader;
  bus::Subscription subscription;
  std::vector<bus::FeedEvent> seen;
  std::optional<base::Error> error;
};

// A server and its followers, on virtual time, as one seed decides.
struct FollowedWorld {
  explicit FollowedWorld(std::uint64_t seed, bus::MemoryFaults faults = {})
      : random(seed), bus(random, faults) {
    log.identity.log = base::LogId::make({1}, random);
    log.identity.epoch.counter = 1;
    restart();
  }

  void restart() {
    server.reset();
    server = std::make_unique<Server>(log, bus.bind_server("command"), bus.bind_publisher("feed"),
                                      base::ServerId::make({1}, random), 3);
  }

  Follower& follow(const std::string& level, Position after = {},
                   std::size_t queue_max = bus::MemoryBus::kQueueMax) {
    followers.push_back(std::make_unique<Follower>(
        bus, clock, random, "follower" + std::to_string(followers.size()),
        bus::SubscriptionOptions{level, after, log.identity, 64}, queue_max));
    return *followers.back();
  }

  void append(std::uint64_t count) {
    for (; count > 0; --count) {
      const std::string agent = random.chance(50) ? "a" : "b";
      const std::string session = std::to_string(random.below(4));
      server->publish(log.append({std::string(bus::kAllLevel), "agent/" + agent + "/",
                                  "session/" + agent + "/" + session + "/"}));
    }
  }

  void step(Duration passed) {
    clock.now += passed;
    bus.advance(clock.now);
    if (server) server->do_work(clock.now, 1 + random.below(20));
  }

  void run_all(Duration passed) {
    step(passed);
    for (auto& follower : followers) follower->do_work(clock.now);
  }

  // Runs without faults until everybody has everything; false: they do not in a minute of theirs.
  bool settle() {
    const Duration end = clock.now + Duration{60'000'000};
    while (clock.now < end) {
      run_all(Duration{5'000});
      const bool is_done = std::all_of(followers.begin(), followers.end(), [&](auto& follower) {
        return follower->subscription.is_live() &&
               follower->seen.size() == log.at_level(follower->level, follower->start).size();
      });
      if (is_done) return true;
    }
    return false;
  }

  base::SeededRandom random;
  ManualClock clock;
  bus::MemoryBus bus;
  Log log;
  std::unique_ptr<Server> server;
  std::vector<std::unique_ptr<Follower>> followers;
};

TEST_CASE("a subscriber reads the log from its position and then follows live", "[bus]") {
  FollowedWorld world(1);
  world.append(100);
  world.step(Duration{0});
  Follower& all = world.follow("all/", {40});
  Follower& agent = world.follow("agent/a/");
  REQUIRE(world.settle());
  CHECK(all.seen.front().position == Position{41});
  const std::int64_t pages = all.subscription.counts().pages;
  world.append(50);
  REQUIRE(world.settle());
  CHECK(all.seen == world.log.at_level("all/", {40}));
  CHECK(agent.seen == world.log.at_level("agent/a/", {}));
  CHECK(all.subscription.counts().pages == pages);
  CHECK(all.subscription.position() == Position{150});
}

TEST_CASE("under every fault a subscriber sees exactly the log, for 500 seeds", "[bus]") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    FollowedWorld world(seed, {.loss_percent = 10,
                               .duplicate_percent = 10,
                               .delay_percent = 30,
                               .delay_max = Duration{80'000},
                               .reorder_percent = 20});
    world.append(world.random.below(50));
    const auto start = [&] {
      return Position{static_cast<std::int64_t>(world.random.below(world.log.entries.size() + 1))};
    };
    world.follow("all/", start());
    world.follow("all/", start(), 4);
    world.follow("agent/a/", start());
    world.follow("session/b/2/", start(), 2);
    for (int i = 0; i < 150; ++i) {
      if (world.random.chance(40)) world.append(1 + world.random.below(12));
      if (world.random.chance(1)) world.restart();
      if (world.random.chance(3)) {
        const auto direction = static_cast<bus::PartitionDirection>(world.random.below(4));
        world.bus.partition("follower" + std::to_string(world.random.below(4)), direction);
      }
      world.step(Duration{static_cast<std::int64_t>(world.random.below(50'000))});
      for (auto& follower : world.followers) {
        if (world.random.chance(60)) follower->do_work(world.clock.now);
      }
    }
    world.bus.set_faults({});
    for (int i = 0; i < 4; ++i) {
      world.bus.partition("follower" + std::to_string(i), bus::PartitionDirection::none);
    }
    REQUIRE(world.settle());
    for (auto& follower : world.followers) {
      REQUIRE_FALSE(follower->error);
      REQUIRE(follower->seen == world.log.at_level(follower->level, follower->start));
    }
  }
}

TEST_CASE("the loss of a last message is found by the beacon", "[bus]") {
  FollowedWorld world(3);
  Follower& follower = world.follow("session/a/1/");
  REQUIRE(world.settle());
  world.bus.set_faults({.loss_percent = 100});
  world.server->publish(world.log.append({"all/", "session/a/1/"}));
  world.run_all(Duration{0});
  world.bus.set_faults({});
  REQUIRE(world.settle());
  CHECK(follower.seen.size() == 1);
  // Found by a beacon, not by the probe after long silence.
  CHECK(world.clock.now < bus::Subscription::kSilenceMax);
  CHECK(follower.subscription.counts().probes == 1);
}

TEST_CASE("a connection that came back too late for beacons is found by its silence", "[bus]") {
  FollowedWorld world(4);
  Follower& follower = world.follow("session/a/1/");
  REQUIRE(world.settle());
  world.bus.partition("follower0", bus::PartitionDirection::both);
  world.server->publish(world.log.append({"all/", "session/a/1/"}));
  for (int i = 0; i < 450; ++i) world.run_all(Duration{10'000});
  world.bus.partition("follower0", bus::PartitionDirection::none);
  REQUIRE(world.settle());
  CHECK(follower.seen.size() == 1);
  CHECK(follower.subscription.counts().probes > 1);
}

TEST_CASE("a level that the publisher has forgotten is looked up in the log", "[bus]") {
  FollowedWorld world(5);
  Follower& follower = world.follow("session/a/1/");
  REQUIRE(world.settle());
  world.server->publish(world.log.append({"all/", "session/a/1/"}));
  REQUIRE(world.settle());
  const std::int64_t pages = follower.subscription.counts().pages;
  for (int i = 0; i < 10; ++i) {
    world.server->publish(world.log.append({"all/", "session/x/" + std::to_string(i) + "/"}));
    world.run_all(Duration{1'000});
  }
  world.server->publish(world.log.append({"all/", "session/a/1/"}));
  REQUIRE(world.settle());
  CHECK(follower.seen.size() == 2);
  CHECK(follower.subscription.counts().pages == pages + 1);
}

TEST_CASE("another epoch is an error, after the events before it, and told once", "[bus]") {
  FollowedWorld world(6);
  Follower& follower = world.follow("all/");
  world.append(10);
  REQUIRE(world.settle());
  world.log.identity.epoch.counter = 2;
  world.restart();
  world.append(5);
  for (int i = 0; i < 1000 && !follower.error; ++i) world.run_all(Duration{10'000});
  REQUIRE(follower.error);
  CHECK(follower.error->code == base::ErrorCode::wrong_log);
  CHECK(follower.seen.size() == 10);
  CHECK_FALSE(follower.subscription.receive());
  CHECK_FALSE(follower.subscription.is_live());
}

TEST_CASE("a log that ends before a finished position is an error", "[bus]") {
  FollowedWorld world(7);
  world.append(10);
  Follower& follower = world.follow("all/", {11});
  for (int i = 0; i < 1000 && !follower.error; ++i) world.run_all(Duration{10'000});
  REQUIRE(follower.error);
  CHECK(follower.error->code == base::ErrorCode::wrong_log);
}

TEST_CASE("a caller that does not take events holds back the subscription, not its order",
          "[bus]") {
  FollowedWorld world(8);
  Follower& follower = world.follow("all/", {}, 8);
  for (int i = 0; i < 200; ++i) {
    world.append(20);
    world.step(Duration{10'000});
    follower.client.do_work(world.clock.now);
    follower.subscription.do_work(world.clock.now);
  }
  CHECK(follower.subscription.position() == Position{0});
  REQUIRE(world.settle());
  CHECK(follower.seen == world.log.at_level("all/", {}));
  CHECK(world.bus.counts().dropped > 0);
}

TEST_CASE("an ephemeral chunk reaches who is live, with position 0", "[bus]") {
  FollowedWorld world(9);
  Follower& follower = world.follow("session/a/1/");
  REQUIRE(world.settle());
  world.server->publisher.publish_ephemeral("session/a/1/", "half a wo");
  world.step(Duration{1'000});
  follower.subscription.do_work(world.clock.now);
  const auto chunk = follower.subscription.receive();
  REQUIRE(chunk);
  CHECK((*chunk)->position == Position{0});
  CHECK((*chunk)->facts.bytes == "half a wo");
}

}  // namespace
