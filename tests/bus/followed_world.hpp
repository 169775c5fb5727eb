// A server over the memory bus and its followers, on virtual time; one seed decides every fault.
#pragma once

#include <algorithm>
#include <memory>

#include "bus/client.hpp"
#include "bus/memory_bus.hpp"
#include "bus/shared_subscriber.hpp"
#include "bus/subscription.hpp"
#include "tests/bus/feed_world.hpp"
#include "tests/support/manual_clock.hpp"

namespace feed_world {

using base::Duration;
using base::Position;

// A subscriber with a client of its own.
struct Follower {
  Follower(bus::MemoryBus& world, support::ManualClock& clock, base::Random& random,
           const std::string& name, std::unique_ptr<bus::SubscriberSocket> subscriber,
           bus::SubscriptionOptions options)
      : level(options.level),
        start(options.after),
        feed(std::move(subscriber)),
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

// One connection for each follower, or one shared by all.
enum class Connections { own, shared };

struct FollowedWorld {
  explicit FollowedWorld(std::uint64_t seed, bus::MemoryFaults faults = {},
                         Connections connections = Connections::own)
      : random(seed), bus(random, faults) {
    if (connections == Connections::shared) {
      connection = bus.connect_subscriber("feed", "shared");
      shared = std::make_unique<bus::SharedSubscriber>(*connection);
    }
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
    const std::string name = "follower" + std::to_string(followers.size());
    auto subscriber = shared ? shared->open() : bus.connect_subscriber("feed", name, queue_max);
    followers.push_back(
        std::make_unique<Follower>(bus, clock, random, name, std::move(subscriber),
                                   bus::SubscriptionOptions{level, after, log.identity, 64}));
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
    if (shared) shared->do_work();
  }

  void run_all(Duration passed) {
    step(passed);
    for (auto& follower : followers) follower->do_work(clock.now);
  }

  // Runs without faults until every follower has every event. False: a minute of virtual time was
  // not enough.
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
  support::ManualClock clock;
  bus::MemoryBus bus;
  Log log;
  std::unique_ptr<Server> server;
  std::unique_ptr<bus::SubscriberSocket> connection;  // the one that all use, if shared
  std::unique_ptr<bus::SharedSubscriber> shared;
  std::vector<std::unique_ptr<Follower>> followers;
};

}  // namespace feed_world
