// Several subscribers that share one connection: each receives its own topics once, a slow one
// holds up nobody, and the last to leave a topic ends its subscription.
#include "bus/shared_subscriber.hpp"

#include <set>

#include "tests/bus/followed_world.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::Duration;
using base::Position;
using bus::FeedFrame;
using bus::SharedSubscriber;
using bus::SubscriptionChange;
using feed_world::Connections;
using feed_world::FollowedWorld;
using feed_world::Follower;

// A publisher that the test drives, and one shared connection.
struct SharedWorld {
  // Delivers everything; returns the subscription changes that the publisher saw meanwhile.
  std::vector<SubscriptionChange> settle() {
    bus.advance(Duration{0});
    std::vector<SubscriptionChange> changes;
    while (auto change = publisher->receive()) changes.push_back(*change);
    return changes;
  }

  void publish(const std::string& topic, const std::string& frame) {
    publisher->publish(topic, frame);
    bus.advance(Duration{0});
  }

  base::SeededRandom random{1};
  bus::MemoryBus bus{random};
  std::unique_ptr<bus::PublisherSocket> publisher = bus.bind_publisher("feed");
  std::unique_ptr<bus::SubscriberSocket> connection = bus.connect_subscriber("feed", "shared");
  SharedSubscriber shared{*connection};
};

std::vector<std::string> frames(bus::SubscriberSocket& socket) {
  std::vector<std::string> all;
  while (auto message = socket.receive()) all.push_back(message->frame);
  return all;
}

TEST_CASE("each socket of one connection receives what its own topics begin, once", "[bus]") {
  SharedWorld world;
  const auto all = world.shared.open();
  const auto session = world.shared.open();
  const auto wide = world.shared.open();
  const auto everything = world.shared.open();
  CHECK(all->subscribe("all/"));
  CHECK(session->subscribe("session/a/1/"));
  for (const char* topic : {"session/a/1/", "session/a/", "session/"}) {
    CHECK(wide->subscribe(topic));
  }
  CHECK(everything->subscribe(""));
  world.settle();
  for (const char* topic : {"all/", "session/a/1/", "session/a/2/", "probe/1"}) {
    world.publish(topic, std::string("of ") + topic);
  }
  CHECK(world.shared.do_work() == 4);
  CHECK(frames(*all) == std::vector<std::string>{"of all/"});
  CHECK(frames(*session) == std::vector<std::string>{"of session/a/1/"});
  CHECK(frames(*wide) == std::vector<std::string>{"of session/a/1/", "of session/a/2/"});
  CHECK(frames(*everything).size() == 4);
  CHECK(world.shared.dropped() == 0);
}

TEST_CASE("who was given messages by a shared connection is named, once", "[bus]") {
  SharedWorld world;
  const auto named = [&] {
    std::set<std::size_t> keys;
    while (const auto key = world.shared.next_given()) CHECK(keys.insert(*key).second);
    return keys;
  };
  std::vector<std::unique_ptr<bus::SubscriberSocket>> sockets;
  for (std::size_t i = 0; i < 4; ++i) {
    sockets.push_back(world.shared.open(i));
    sockets.back()->subscribe("level/" + std::to_string(i));
  }
  sockets[3]->subscribe("level/1");
  world.settle();
  CHECK(named().empty());
  world.publish("level/0", "frame");
  world.publish("level/0", "frame");
  world.publish("level/1", "frame");
  world.shared.do_work();
  CHECK(named() == std::set<std::size_t>{0, 1, 3});
  CHECK(named().empty());
  world.publish("level/0", "frame");
  world.publish("level/1", "frame");
  world.shared.do_work();
  sockets[1].reset();
  CHECK(named() == std::set<std::size_t>{0, 3});
}

TEST_CASE("a topic is subscribed for the first who wants it and left with the last", "[bus]") {
  SharedWorld world;
  auto first = world.shared.open();
  auto second = world.shared.open();
  first->subscribe("all/");
  CHECK(world.settle() == std::vector<SubscriptionChange>{{true, "all/"}});
  second->subscribe("all/");
  second->subscribe("all/");
  first->unsubscribe("all/");
  first->unsubscribe("all/");
  first->unsubscribe("never/");
  second->unsubscribe("all/");
  CHECK(world.settle().empty());
  world.publish("all/", "frame");
  world.shared.do_work();
  CHECK(frames(*first).empty());
  CHECK(frames(*second) == std::vector<std::string>{"frame"});
  second.reset();
  CHECK(world.settle() == std::vector<SubscriptionChange>{{false, "all/"}});
  first->subscribe("all/");
  CHECK(world.settle() == std::vector<SubscriptionChange>{{true, "all/"}});
}

TEST_CASE("a topic that is too long is refused, and nothing is left of it", "[bus]") {
  SharedWorld world;
  const auto socket = world.shared.open();
  CHECK_FALSE(socket->subscribe(std::string(bus::kTopicBytesMax + 1, 'x')));
  CHECK(world.settle().empty());
  CHECK(socket->subscribe(std::string(bus::kTopicBytesMax, 'x')));
}

TEST_CASE("a socket that is not emptied keeps the newest messages, and holds up nobody", "[bus]") {
  SharedWorld world;
  const auto slow = world.shared.open();
  const auto quick = world.shared.open();
  slow->subscribe("all/");
  quick->subscribe("all/");
  world.settle();
  const std::size_t count = 3 * SharedSubscriber::kWaitingMessagesMax;
  std::size_t received = 0;
  for (std::size_t i = 0; i < count; ++i) {
    world.publish("all/", std::to_string(i));
    world.shared.do_work();
    received += frames(*quick).size();
  }
  CHECK(received == count);
  const std::vector<std::string> kept = frames(*slow);
  CHECK(kept.size() == SharedSubscriber::kWaitingMessagesMax);
  CHECK(kept.back() == std::to_string(count - 1));
  CHECK(world.shared.dropped() == static_cast<std::int64_t>(count - kept.size()));

  const std::string large(SharedSubscriber::kWaitingBytesMax / 4, 'x');
  for (int i = 0; i < 6; ++i) world.publish("all/", large);
  world.publish("all/", "small");
  while (world.shared.do_work() > 0) {
  }
  CHECK(frames(*slow) == std::vector<std::string>{large, large, large, "small"});
  world.publish("all/", std::string(2 * SharedSubscriber::kWaitingBytesMax, 'x'));
  world.shared.do_work();
  CHECK(frames(*slow).size() == 1);
}

TEST_CASE("a duty cycle of a shared connection ends, and drops nothing for who takes it all",
          "[bus]") {
  SharedWorld world;
  const auto socket = world.shared.open();
  socket->subscribe("all/");
  world.settle();
  for (int i = 0; i < 2 * SharedSubscriber::kMessagesPerCycle; ++i) world.publish("all/", "small");
  CHECK(world.shared.do_work() == SharedSubscriber::kMessagesPerCycle);
  CHECK(world.shared.do_work() == SharedSubscriber::kMessagesPerCycle);
  CHECK(world.shared.do_work() == 0);
  const std::string large(bus::kFeedBytesMax, 'x');
  for (int i = 0; i < 10; ++i) world.publish("all/", large);
  std::size_t received = frames(*socket).size();
  while (world.shared.do_work() > 0) received += frames(*socket).size();
  CHECK(received == 2 * SharedSubscriber::kMessagesPerCycle + 10);
  CHECK(world.shared.dropped() == 0);
}

TEST_CASE("who joins a shared connection late, or leaves it, changes nothing for the others",
          "[bus]") {
  FollowedWorld world(11, {}, Connections::shared);
  Follower& all = world.follow("all/");
  Follower& first = world.follow("session/a/1/");
  world.append(100);
  REQUIRE(world.settle());
  const std::int64_t pages = all.subscription.counts().pages;
  Follower& late = world.follow("session/a/1/");
  world.follow("agent/b/");
  world.append(100);
  REQUIRE(world.settle());
  CHECK(late.seen == first.seen);
  world.followers.pop_back();
  world.followers.pop_back();
  world.append(100);
  REQUIRE(world.settle());
  CHECK(first.seen == world.log.at_level("session/a/1/", {}));
  CHECK(all.seen == world.log.at_level("all/", {}));
  CHECK(all.subscription.counts().pages == pages);
}

TEST_CASE("what was dropped for a slow subscription of a shared connection it reads from the log",
          "[bus]") {
  FollowedWorld world(12, {}, Connections::shared);
  Follower& slow = world.follow("all/");
  Follower& quick = world.follow("all/");
  REQUIRE(world.settle());
  const std::int64_t pages = slow.subscription.counts().pages;
  const std::int64_t quick_pages = quick.subscription.counts().pages;
  for (int i = 0; i < 2000; ++i) {
    world.append(1);
    world.step(Duration{1'000});
    quick.do_work(world.clock.now);
  }
  CHECK(world.shared->dropped() > 0);
  REQUIRE(world.settle());
  CHECK((slow.seen == quick.seen));
  CHECK(slow.seen.size() == world.log.entries.size());
  CHECK(slow.subscription.counts().gaps > 0);
  CHECK(slow.subscription.counts().pages > pages);
  CHECK(quick.subscription.counts().pages == quick_pages);
}

}  // namespace
