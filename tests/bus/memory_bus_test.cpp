// The memory bus behaves as real sockets do, and injects exactly the faults that it is told to:
// loss, duplicates, delay, partitions, restarts and full queues.
#include "bus/memory_bus.hpp"

#include <algorithm>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using base::Duration;
using bus::Bytes;
using bus::MemoryBus;

std::vector<Bytes> receive_all(bus::ServerSocket& server) {
  std::vector<Bytes> all;
  while (auto incoming = server.receive()) all.push_back(incoming->frame);
  return all;
}

std::size_t count_feed(bus::SubscriberSocket& subscriber) {
  std::size_t count = 0;
  while (subscriber.receive()) ++count;
  return count;
}

TEST_CASE("without faults requests and replies arrive once and in order", "[bus]") {
  base::SeededRandom random(1);
  MemoryBus world(random);
  auto server = world.bind_server("command");
  auto client = world.connect_client("command", "c1");
  for (char c = 'a'; c <= 'e'; ++c) REQUIRE(client->send(Bytes(1, c)));
  CHECK_FALSE(server->receive());
  world.advance(Duration{0});
  const auto first = server->receive();
  REQUIRE(first);
  CHECK(first->frame == "a");
  CHECK(receive_all(*server) == std::vector<Bytes>{"b", "c", "d", "e"});
  CHECK(server->send(first->peer, "reply"));
  world.advance(Duration{1});
  CHECK(client->receive() == Bytes("reply"));
  CHECK_FALSE(world.bind_server("command"));
}

TEST_CASE("a peer that is gone or full is told by send", "[bus]") {
  base::SeededRandom random(1);
  MemoryBus world(random);
  auto client = world.connect_client("command", "c1", 2);
  CHECK_FALSE(client->send("nobody is bound"));
  auto server = world.bind_server("command");
  CHECK(client->send("1"));
  CHECK(client->send("2"));
  CHECK_FALSE(client->send("queue is full"));
  world.advance(Duration{0});
  const auto incoming = server->receive();
  CHECK(client->send("3"));
  client->reconnect();
  CHECK_FALSE(server->send(incoming->peer, "the old connection is gone"));
  CHECK(world.counts().refused == 3);
}

TEST_CASE("a server that is bound again sees its peers as new ones", "[bus]") {
  base::SeededRandom random(1);
  MemoryBus world(random);
  auto server = world.bind_server("command");
  auto client = world.connect_client("command", "c1");
  REQUIRE(client->send("1"));
  world.advance(Duration{0});
  const auto before = server->receive();
  server.reset();
  CHECK_FALSE(client->send("lost"));
  server = world.bind_server("command");
  REQUIRE(client->send("2"));
  world.advance(Duration{1});
  const auto after = server->receive();
  REQUIRE(after);
  CHECK(after->frame == "2");
  CHECK(after->peer != before->peer);
  CHECK_FALSE(server->send(before->peer, "of another life"));
}

TEST_CASE("each fault happens, is counted, and none happens at zero percent", "[bus]") {
  base::SeededRandom random(5);
  MemoryBus world(random, {.loss_percent = 10,
                           .duplicate_percent = 10,
                           .delay_percent = 30,
                           .delay_max = Duration{1000},
                           .reorder_percent = 10});
  auto server = world.bind_server("command");
  auto client = world.connect_client("command", "c1", 100000);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    Bytes frame;
    base::append_u32(frame, i);
    REQUIRE(client->send(frame));
    world.advance(Duration{i * 10});
  }
  world.advance(*world.next_due() + Duration{2000});
  CHECK_FALSE(world.next_due());
  const auto& counts = world.counts();
  const auto all = receive_all(*server);
  CHECK(all.size() == static_cast<std::size_t>(2000 - counts.lost + counts.duplicated));
  CHECK(counts.lost > 100);
  CHECK(counts.duplicated > 100);
  CHECK(counts.delayed > 300);
  CHECK(counts.reordered > 100);
  CHECK_FALSE(std::is_sorted(all.begin(), all.end()));
}

TEST_CASE("delay alone keeps the order of a connection", "[bus]") {
  base::SeededRandom random(6);
  MemoryBus world(random, {.delay_percent = 50, .delay_max = Duration{1000}});
  auto server = world.bind_server("command");
  auto client = world.connect_client("command", "c1");
  for (std::uint32_t i = 0; i < 500; ++i) {
    Bytes frame;
    base::append_u32(frame, i);
    REQUIRE(client->send(frame));
    world.advance(Duration{i * 10});
  }
  world.advance(Duration{1'000'000});
  const auto all = receive_all(*server);
  CHECK(all.size() == 500);
  CHECK(std::is_sorted(all.begin(), all.end()));
}

TEST_CASE("a partition swallows what goes its way, and only that", "[bus]") {
  base::SeededRandom random(1);
  MemoryBus world(random);
  auto server = world.bind_server("command");
  auto client = world.connect_client("command", "c1");
  REQUIRE(client->send("hello"));
  world.advance(Duration{0});
  const auto incoming = server->receive();
  world.partition("c1", bus::PartitionDirection::from_peer);
  CHECK(client->send("swallowed"));
  CHECK(server->send(incoming->peer, "arrives"));
  world.advance(Duration{1});
  CHECK_FALSE(server->receive());
  CHECK(client->receive() == Bytes("arrives"));
  world.partition("c1", bus::PartitionDirection::to_peer);
  CHECK(client->send("arrives"));
  CHECK(server->send(incoming->peer, "swallowed"));
  world.advance(Duration{2});
  CHECK(server->receive());
  CHECK_FALSE(client->receive());
  CHECK(world.counts().partitioned == 2);
}

TEST_CASE("a subscriber gets what begins with its topic, once its subscription arrived", "[bus]") {
  base::SeededRandom random(1);
  MemoryBus world(random);
  auto publisher = world.bind_publisher("feed");
  auto subscriber = world.connect_subscriber("feed", "s1");
  REQUIRE(subscriber->subscribe("agent/a/"));
  publisher->publish("agent/a/", "too early");
  world.advance(Duration{0});
  CHECK(publisher->receive() == bus::SubscriptionChange{true, "agent/a/"});
  publisher->publish("agent/a/", "1");
  publisher->publish("agent/b/", "not wanted");
  world.advance(Duration{1});
  CHECK(subscriber->receive() == bus::FeedFrame{"agent/a/", "1"});
  CHECK_FALSE(subscriber->receive());
  CHECK_FALSE(subscriber->subscribe(std::string(246, 'x')));
}

TEST_CASE("a slow subscriber misses what its queue cannot hold", "[bus]") {
  base::SeededRandom random(1);
  MemoryBus world(random);
  auto publisher = world.bind_publisher("feed");
  auto slow = world.connect_subscriber("feed", "slow", 10);
  auto fast = world.connect_subscriber("feed", "fast");
  slow->subscribe("all/");
  fast->subscribe("all/");
  world.advance(Duration{0});
  for (int i = 0; i < 100; ++i) publisher->publish("all/", "event");
  world.advance(Duration{1});
  CHECK(count_feed(*slow) == 10);
  CHECK(count_feed(*fast) == 100);
  CHECK(world.counts().dropped == 90);
  publisher->publish("all/", "event");
  world.advance(Duration{2});
  CHECK(count_feed(*slow) == 1);
}

TEST_CASE("subscriptions are told again to a publisher that is bound again", "[bus]") {
  base::SeededRandom random(1);
  MemoryBus world(random);
  auto subscriber = world.connect_subscriber("feed", "s1");
  subscriber->subscribe("all/");
  for (int life = 0; life < 3; ++life) {
    auto publisher = world.bind_publisher("feed");
    world.advance(Duration{life * 10});
    CHECK(publisher->receive() == bus::SubscriptionChange{true, "all/"});
    publisher->publish("all/", "event");
    world.advance(Duration{life * 10 + 1});
    CHECK(count_feed(*subscriber) == 1);
  }
}

}  // namespace
