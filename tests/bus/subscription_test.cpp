// A subscription yields exactly the log from its position on: first read, then live. Lost messages,
// silence, restarts, new epochs and slow callers are noticed and healed, or end in an error.
#include "bus/subscription.hpp"

#include "tests/bus/followed_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment_number.hpp"

namespace {

using base::Duration;
using base::Position;
using feed_world::Connections;
using feed_world::FollowedWorld;
using feed_world::Follower;

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

constexpr const char* kPeers[] = {"follower0", "follower1", "follower2", "follower3", "shared"};

void see_exactly_the_log(std::uint64_t seed, Connections connections) {
  CAPTURE(seed);
  FollowedWorld world(seed,
                      {.loss_percent = 10,
                       .duplicate_percent = 10,
                       .delay_percent = 30,
                       .delay_max = Duration{80'000},
                       .reorder_percent = 20},
                      connections);
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
      const std::uint64_t who = world.random.below(connections == Connections::own ? 4 : 5);
      world.bus.partition(kPeers[who], direction);
    }
    world.step(Duration{static_cast<std::int64_t>(world.random.below(50'000))});
    for (auto& follower : world.followers) {
      if (world.random.chance(60)) follower->do_work(world.clock.now);
    }
  }
  world.bus.set_faults({});
  for (const char* peer : kPeers) world.bus.partition(peer, bus::PartitionDirection::none);
  REQUIRE(world.settle());
  for (auto& follower : world.followers) {
    REQUIRE_FALSE(follower->error);
    REQUIRE(follower->seen == world.log.at_level(follower->level, follower->start));
  }
}

// STENO_SEEDS runs ten times that many.
std::int64_t seeds() {
  return 10 * support::environment_number("STENO_SEEDS", 50);
}

TEST_CASE("under every fault a subscriber sees exactly the log", "[bus][C26]") {
  for (std::int64_t seed = 1; seed <= seeds(); ++seed) {
    see_exactly_the_log(static_cast<std::uint64_t>(seed), Connections::own);
  }
}

TEST_CASE("under every fault those of one connection see exactly the log", "[bus]") {
  for (std::int64_t seed = 1; seed <= seeds(); ++seed) {
    see_exactly_the_log(static_cast<std::uint64_t>(seed), Connections::shared);
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
  // The beacon finds the loss, not the probe after long silence.
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

TEST_CASE("silence is noticed in time by who is only called when a timer is due", "[bus]") {
  FollowedWorld world(4);
  Follower& follower = world.follow("session/a/1/");
  REQUIRE(world.settle());
  const Duration quiet_since = world.clock.now;
  const std::int64_t probes = follower.subscription.counts().probes;
  // Nothing is received from here on, so no other timer or answer wakes the subscriber.
  world.bus.partition("follower0", bus::PartitionDirection::both);
  const auto call_when_due = [&] {
    const Duration due = follower.subscription.next_timer();
    REQUIRE(due > world.clock.now);
    world.clock.now = due;
    follower.do_work(world.clock.now);
  };
  call_when_due();
  CHECK(follower.subscription.counts().probes == probes + 1);
  CHECK(world.clock.now - quiet_since <= Duration{5'000'000});
  // The subscriber asks once a second until somebody answers.
  for (int i = 2; i <= 4; ++i) {
    const Duration asked_at = world.clock.now;
    call_when_due();
    CHECK(follower.subscription.counts().probes == probes + i);
    CHECK(world.clock.now - asked_at == Duration{1'000'000});
  }
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

TEST_CASE("a log that went back and grew beyond a subscriber is an error", "[bus]") {
  const std::string level = GENERATE("all/", "session/quiet/1/");
  // The change is seen live, or when the log is read.
  const bool is_live = GENERATE(true, false);
  CAPTURE(level, is_live);
  FollowedWorld world(10);
  if (!is_live) world.append(20);
  Follower& follower = world.follow(level);
  REQUIRE(world.settle());
  if (is_live) {
    for (int i = 0; i < 20; ++i)
      world.server->publish(world.log.append({"all/", "session/quiet/1/"}));
    REQUIRE(world.settle());
  }
  const auto seen = follower.seen;
  world.log.go_back({7});
  world.restart();
  // The subscriber is connected before it looks, so messages of the new life arrive before any page
  // of it.
  for (int i = 0; i < 100; ++i) world.step(Duration{10'000});
  for (int i = 0; i < 40; ++i)
    world.server->publish(world.log.append({"all/", "session/quiet/1/"}));
  for (int i = 0; i < 1000 && !follower.error; ++i) world.run_all(Duration{10'000});
  REQUIRE(follower.error);
  CHECK(follower.error->code == base::ErrorCode::wrong_log);
  CHECK(follower.seen == seen);
}

TEST_CASE("a log that went back before a caller's last event is an error", "[bus]") {
  FollowedWorld world(11);
  world.append(20);
  bus::SubscriptionOptions options;
  options.level = "all/";
  options.after = {12};
  options.identity = world.log.identity;
  options.digest = world.log.digest_at({12});
  const bool is_back = GENERATE(false, true);
  if (is_back) world.log.go_back({11});
  world.restart();
  world.append(20);
  Follower follower(world.bus, world.clock, world.random, "resumed",
                    world.bus.connect_subscriber("feed", "resumed"), options);
  for (int i = 0; i < 1000 && !follower.error && !follower.subscription.is_live(); ++i) {
    world.step(Duration{10'000});
    follower.do_work(world.clock.now);
  }
  CHECK(follower.error.has_value() == is_back);
  CHECK(follower.seen.empty() == is_back);
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
