// The feed as published: how events become messages for each level, when ends and beacons are sent,
// and the answer to a probe. Also the bytes of a message, and damaged ones.
#include "bus/feed_publisher.hpp"

#include "bus/memory_bus.hpp"
#include "eventlog/base/text_bytes.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::Duration;
using base::Position;
using bus::FeedKind;
using bus::FeedMessage;

bus::FeedEvent event_at(std::int64_t position, std::size_t bytes = 10) {
  bus::FeedEvent event;
  event.position = {position};
  event.facts.bytes.assign(bytes, 'f');
  return event;
}

// A publisher and one subscriber to everything, without faults.
struct PublisherWorld {
  explicit PublisherWorld(Position head = {}, std::size_t levels_max = bus::kLevelsMax)
      : random(1),
        bus(random),
        socket(bus.bind_publisher("feed")),
        subscriber(bus.connect_subscriber("feed", "s1", 100000)),
        publisher(*socket, {{base::LogId::make({1}, random), {1, {}}},
                            base::ServerId::make({1}, random),
                            head,
                            levels_max}) {
    subscriber->subscribe("");
    bus.advance(now);
  }

  std::vector<std::pair<std::string, FeedMessage>> run(Duration passed) {
    now += passed;
    publisher.do_work(now);
    bus.advance(now);
    std::vector<std::pair<std::string, FeedMessage>> messages;
    while (auto frame = subscriber->receive()) {
      const auto message = bus::decode_feed_message(frame->frame);
      REQUIRE(message);
      messages.emplace_back(frame->topic, *message);
    }
    return messages;
  }

  base::SeededRandom random;
  bus::MemoryBus bus;
  Duration now{0};
  std::unique_ptr<bus::PublisherSocket> socket;
  std::unique_ptr<bus::SubscriberSocket> subscriber;
  bus::FeedPublisher publisher;
};

TEST_CASE("events of one cycle are one message a level, with the position before it", "[bus]") {
  PublisherWorld world;
  world.run(Duration{0});
  for (std::int64_t i = 1; i <= 3; ++i) {
    world.publisher.publish(event_at(i), {"all/", i == 2 ? "agent/b/" : "agent/a/"});
  }
  auto messages = world.run(Duration{1});
  REQUIRE(messages.size() == 3);
  CHECK(messages[0].first == "all/");
  CHECK(messages[0].second.header.count == 3);
  CHECK(messages[1].first == "agent/a/");
  CHECK(messages[1].second.events == std::vector{event_at(1), event_at(3)});
  CHECK(messages[1].second.header.previous == Position{0});
  CHECK(messages[2].first == "agent/b/");
  world.publisher.publish(event_at(4), {"all/", "agent/a/"});
  messages = world.run(Duration{1});
  CHECK(messages[1].first == "agent/a/");
  CHECK(messages[1].second.header.previous == Position{3});
  CHECK(messages[1].second.header.head == Position{4});
}

TEST_CASE("an event that earlier readers cannot read has a topic that they pass over", "[bus]") {
  PublisherWorld world;
  world.run(Duration{0});
  for (std::int64_t i = 1; i <= 4; ++i) world.publisher.publish(event_at(i), {"all/"}, i == 2);
  const auto messages = world.run(Duration{1});
  REQUIRE(messages.size() == 3);
  CHECK(messages[0].first == "all/");
  CHECK(messages[1].first == "all/+");
  CHECK(messages[1].second.events == std::vector{event_at(2)});
  CHECK(messages[2].first == "all/");
  CHECK(messages[2].second.header.count == 2);
  CHECK(messages[2].second.header.previous == Position{2});  // by which they find the gap
}

TEST_CASE("what nobody hears is not sent, and counts all the same", "[bus]") {
  PublisherWorld world;
  world.subscriber->unsubscribe("");
  world.subscriber->subscribe("agent/a/");
  world.bus.advance(world.now);
  world.run(Duration{0});
  const auto publish = [&](std::int64_t position, const std::string& agent) {
    const std::vector<std::string> levels = {"all/", "agent/" + agent + "/"};
    if (world.publisher.is_heard(levels)) {
      world.publisher.publish(event_at(position), levels);
    } else {
      world.publisher.pass({position}, levels);
    }
  };
  publish(1, "a");
  publish(2, "b");
  CHECK(world.publisher.do_work(world.now) == 1);
  CHECK(world.run(Duration{0}).size() == 1);

  world.subscriber->subscribe("agent/b/");
  world.subscriber->subscribe("all/");
  world.bus.advance(world.now);
  world.run(Duration{1});
  publish(3, "b");
  const auto messages = world.run(Duration{1});
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].second.header.previous == Position{2});
  CHECK(messages[1].first == "agent/b/");
  CHECK(messages[1].second.header.previous == Position{2});
  CHECK(messages[1].second.events == std::vector{event_at(3)});
}

TEST_CASE("a topic is heard until its last subscriber has left it", "[bus]") {
  bus::Audience audience;
  CHECK_FALSE(audience.hears("all/"));
  audience.take({true, "session/main/"});
  audience.take({true, "session/main/"});
  audience.take({true, "all/"});
  CHECK(audience.hears("session/main/1/"));
  CHECK_FALSE(audience.hears("session/mai"));
  CHECK_FALSE(audience.hears("agent/main/"));
  audience.take({false, "session/main/"});
  CHECK_FALSE(audience.hears("session/main/1/"));
  CHECK(audience.hears("all/"));
  audience.take({true, ""});
  CHECK(audience.hears("agent/main/"));
  audience.take({false, ""});
  audience.take({false, "never there"});
  CHECK_FALSE(audience.hears("agent/main/"));
  for (std::size_t i = 0; i <= bus::kTopicsMax; ++i) audience.take({true, std::to_string(i)});
  CHECK(audience.hears("agent/main/"));
  for (const std::size_t i : {bus::kTopicsMax, bus::kTopicsMax - 1}) {
    audience.take({false, std::to_string(i)});
  }
  CHECK_FALSE(audience.hears("agent/main/"));
  CHECK(audience.hears("7"));
}

TEST_CASE("a message is closed at its bound of events and of bytes", "[bus]") {
  PublisherWorld world;
  world.run(Duration{0});
  for (std::int64_t i = 1; i <= 600; ++i) world.publisher.publish(event_at(i), {"all/"});
  auto messages = world.run(Duration{1});
  REQUIRE(messages.size() == 3);
  CHECK(messages[1].second.header.previous == Position{256});
  for (std::int64_t i = 601; i <= 605; ++i) {
    world.publisher.publish(event_at(i, 100 << 10), {"all/"});
  }
  world.publisher.publish(event_at(606, bus::kFeedBytesMax * 2), {"all/"});
  messages = world.run(Duration{1});
  REQUIRE(messages.size() == 4);
  CHECK(messages[0].second.header.count == 2);
  CHECK(messages[3].second.header.count == 1);
}

TEST_CASE("large content stays behind, and its size is said", "[bus]") {
  PublisherWorld world;
  world.run(Duration{0});
  bus::FeedEvent small = event_at(1);
  small.content = base::Binary{bus::Bytes(bus::kFeedContentMax, 'c')};
  bus::FeedEvent large = event_at(2);
  large.content = base::Binary{bus::Bytes(bus::kFeedContentMax + 1, 'c')};
  world.publisher.publish(small, {"all/"});
  world.publisher.publish(large, {"all/"});
  const auto messages = world.run(Duration{1});
  const auto& events = messages.at(0).second.events;
  CHECK(events.at(0) == small);
  CHECK_FALSE(events.at(1).content);
  CHECK(events.at(1).content_bytes == static_cast<std::int64_t>(bus::kFeedContentMax + 1));
}

TEST_CASE("a level's end is said 250 ms, 1 s and 4 s after it, the log's head every 250 ms",
          "[bus]") {
  PublisherWorld world;
  world.publisher.publish(event_at(1), {"all/", "agent/a/"});
  world.run(Duration{0});
  std::vector<std::int64_t> level_beacons;
  int head_beacons = 0;
  for (int ms = 10; ms <= 10000; ms += 10) {
    for (const auto& [topic, message] : world.run(Duration{10'000})) {
      REQUIRE(message.header.kind == FeedKind::beacon);
      REQUIRE(message.header.last == Position{1});
      if (topic == "all/") ++head_beacons;
      if (topic == "agent/a/") level_beacons.push_back(ms);
    }
  }
  CHECK(level_beacons == std::vector<std::int64_t>{250, 1000, 4000});
  CHECK(head_beacons == 40);
}

TEST_CASE("what a forgotten level had before is unknown, and of a log with a past too", "[bus]") {
  PublisherWorld world({}, 2);
  world.publisher.publish(event_at(1), {"agent/a/"});
  world.publisher.flush(world.now);
  world.publisher.publish(event_at(2), {"agent/b/"});
  world.publisher.publish(event_at(3), {"agent/c/"});
  world.run(Duration{1});
  world.publisher.publish(event_at(4), {"agent/a/"});
  world.publisher.publish(event_at(5), {"agent/c/"});
  const auto messages = world.run(Duration{1});
  CHECK(messages.at(0).second.header.previous == bus::kPreviousUnknown);
  CHECK(messages.at(1).second.header.previous == Position{3});

  PublisherWorld old({10});
  old.run(Duration{0});
  old.publisher.publish(event_at(11), {"all/", "agent/a/"});
  const auto first = old.run(Duration{1});
  CHECK(first.at(0).second.header.previous == Position{10});
  CHECK(first.at(1).second.header.previous == bus::kPreviousUnknown);
}

TEST_CASE("a probe is answered where it was asked, with the head", "[bus]") {
  PublisherWorld world({7});
  world.run(Duration{0});
  auto prober = world.bus.connect_subscriber("feed", "s2");
  prober->subscribe("probe/1234");
  world.bus.advance(world.now);
  world.run(Duration{1});
  const auto frame = prober->receive();
  REQUIRE(frame);
  CHECK(frame->topic == "probe/1234");
  const auto message = bus::decode_feed_message(frame->frame);
  CHECK(message->header.kind == FeedKind::probe);
  CHECK(message->header.head == Position{7});
}

TEST_CASE("a feed message has the bytes that the documentation shows", "[bus]") {
  bus::FeedHeader header;
  header.log.bytes.fill('\x11');
  header.epoch = {1, {}};
  header.epoch.random.fill('\x22');
  header.incarnation.bytes.fill('\x33');
  header.first = {5};
  header.last = {5};
  header.count = 1;
  header.previous = {3};
  header.head = {6};
  bus::FeedEvent event;
  event.position = {5};
  event.facts.bytes = "\x81\xA1t\x01";
  event.content = base::Binary{"hi"};
  const bus::Bytes bytes = bus::encode_feed_message(header, base::encode(event));
  CHECK(base::to_hex(bytes) ==
        "9288a36c6f67c41011111111111111111111111111111111"
        "a565706f636882a7636f756e74657201a672616e646f6dc4082222222222222222"
        "ab696e6361726e6174696f6ec41033333333333333333333333333333333"
        "a5666972737405a46c61737405a5636f756e7401a870726576696f757303a46865616406"
        "9183a8706f736974696f6e05a56661637473c40481a17401a7636f6e74656e74c4026869");
  CHECK(bus::decode_feed_message(bytes).value() == FeedMessage{header, {event}});
}

TEST_CASE("random and damaged feed messages never do harm", "[bus]") {
  base::SeededRandom random(11);
  bus::FeedHeader header;
  header.first = {5};
  header.last = {6};
  header.count = 2;
  header.head = {6};
  const bus::Bytes good =
      bus::encode_feed_message(header, base::encode(event_at(5)) + base::encode(event_at(6)));
  REQUIRE(bus::decode_feed_message(good));
  for (int round = 0; round < 20000; ++round) {
    bus::Bytes bytes = good;
    for (std::uint64_t i = 1 + random.below(4); i > 0; --i) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    }
    if (round % 2 == 0) bytes.resize(random.below(bytes.size() + 1));
    const auto message = bus::decode_feed_message(bytes);
    if (!message) continue;
    bus::Bytes events;
    for (const auto& event : message->events) base::encode_to(events, event);
    REQUIRE(bus::decode_feed_message(bus::encode_feed_message(message->header, events)).value() ==
            *message);
  }
}

}  // namespace
