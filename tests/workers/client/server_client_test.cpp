// Requests and levels as a gateway's loop meets them: nothing waits, every outcome is a value.
#include "workers/client/server_client.hpp"

#include "bus/memory_bus.hpp"
#include "eventlog/base/file_lock.hpp"
#include "tests/bus/feed_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/session_samples.hpp"
#include "tests/support/temp_folder.hpp"
#include "workers/client/level_follower.hpp"

namespace workers {
namespace {

using base::Duration;
using base::Position;

constexpr Duration kTimeout = std::chrono::seconds(30);
const std::string kLevel = "agent/main";

// A server that sends every body back, and serves a log of a test.
struct ClientWorld {
  ClientWorld()
      : socket(bus.connect_client("command", "gateway")),
        client(*socket, clock, random, {"gateway", {}, "memory"}) {
    log.identity.epoch.counter = 1;
    start();
  }
  void start() {
    server.reset();
    server = std::make_unique<feed_world::Server>(log, bus.bind_server("command"),
                                                  bus.bind_publisher("feed"),
                                                  base::ServerId::make({1}, random));
  }
  void step(Duration passed = Duration{5'000}) {
    clock.now += passed;
    bus.advance(clock.now);
    if (server) server->do_work(clock.now, 10);
    if (follower) {
      follower->do_work(clock.now);
    } else {
      client.do_work(clock.now);
    }
  }
  template <class Answer>
  Answered<Answer> wait(const base::Result<base::CommandId>& id) {
    REQUIRE(id);
    while (true) {
      step();
      if (auto answer = client.take<Answer>(*id)) return *answer;
    }
  }
  void follow(Position after) {
    feed = bus.connect_subscriber("feed", "gateway");
    follower.emplace(*feed, client, clock, random,
                     LevelFollowerOptions{kLevel, after, kTimeout, "ipc://" + folder.file("s")});
  }
  bus::FeedEvent next_event() {
    while (true) {
      step();
      if (auto event = follower->receive()) {
        REQUIRE(*event);
        return **event;
      }
    }
  }

  support::TempFolder folder;
  base::SeededRandom random{1};
  support::ManualClock clock;
  bus::MemoryBus bus{random};
  feed_world::Log log;
  std::unique_ptr<feed_world::Server> server;
  std::unique_ptr<bus::ClientSocket> socket;
  ServerClient client;
  std::unique_ptr<bus::SubscriberSocket> feed;
  std::optional<LevelFollower> follower;
};

TEST_CASE("many requests are under way at once, and each has its own answer", "[workers]") {
  ClientWorld world;
  std::vector<base::CommandId> ids;
  for (int i = 0; i < 20; ++i) {
    QueryBody body;
    body.reference = "s" + std::to_string(i);
    const auto id = world.client.ask("echo", body, kTimeout);
    REQUIRE(id);
    ids.push_back(*id);
  }
  for (int i = 19; i >= 0; --i) {
    const auto answer = world.wait<QueryBody>(ids[static_cast<std::size_t>(i)]);
    REQUIRE(answer);
    CHECK(answer->reference == "s" + std::to_string(i));
  }
  CHECK_FALSE(world.client.take<QueryBody>(ids.front()));
}

TEST_CASE("a command says who asks, for which session, and keeps its id", "[workers]") {
  ClientWorld world;
  const auto id = world.client.fresh_id();
  const auto session = support::numbered<base::SessionId>(3);
  const auto started = world.client.command(id, "ann", "main", session,
                                            domain::SendPrompt{"go on", false}, kTimeout);
  REQUIRE(started);
  CHECK(*started == id);
  const auto sent = world.wait<CommandBody>(started);
  REQUIRE(sent);
  CHECK(sent->actor == "ann");
  CHECK(sent->agent == "main");
  CHECK(sent->session == session);
  CHECK(sent->type == domain::SendPrompt::kType);
  const auto own = world.wait<CommandBody>(
      world.client.command(world.client.fresh_id(), "ann", domain::RequestAnchor{}, kTimeout));
  REQUIRE(own);
  CHECK_FALSE(own->session.is_set());
}

TEST_CASE("an answer that is not ok, none, and one that is not understood are told apart",
          "[workers]") {
  ClientWorld world;
  const auto text =
      world.client.client().start("echo", bus::to_body(std::string("text")), kTimeout);
  const auto unread = world.wait<CommandReplyBody>(text);
  REQUIRE_FALSE(unread);
  CHECK(std::holds_alternative<BadAnswer>(unread.error()));

  bus::ReadRequest other;
  other.level = kLevel;
  other.after = Position{1};
  other.digest = base::Hash{};
  world.log.append({kLevel});
  const auto refused = world.wait<bus::LogPage>(world.client.ask(bus::kReadVerb, other, kTimeout));
  REQUIRE_FALSE(refused);
  REQUIRE(std::holds_alternative<bus::Reply>(refused.error()));
  CHECK(bus::is_error(std::get<bus::Reply>(refused.error()), bus::ReplyError::wrong_log));

  world.server.reset();
  const auto lost = world.wait<QueryBody>(world.client.ask("echo", QueryBody{}, kTimeout));
  REQUIRE_FALSE(lost);
  REQUIRE(std::holds_alternative<base::Error>(lost.error()));
  CHECK(std::get<base::Error>(lost.error()).code == base::ErrorCode::unreachable);
}

TEST_CASE("a level is followed from the log into the feed, each event once", "[workers]") {
  ClientWorld world;
  for (int i = 0; i < 25; ++i) world.log.append({kLevel});
  world.start();
  world.follow(Position{5});
  for (std::int64_t position = 6; position <= 25; ++position) {
    CHECK(world.next_event().position == Position{position});
  }
  world.server->publish(world.log.append({kLevel}));
  CHECK(world.next_event().position == Position{26});
}

TEST_CASE("a follower whose events are taken slowly does not call the server silent", "[workers]") {
  ClientWorld world;
  const auto lock = base::FileLock::take(world.folder.file("s.lock"));
  REQUIRE(lock);
  for (int i = 0; i < 60; ++i) world.log.append({kLevel});
  world.start();
  world.follow(Position{0});
  for (std::int64_t position = 1; position <= 60; ++position) {
    CHECK(world.next_event().position == Position{position});
    world.server.reset();  // so that the feed is not live while the rest is taken
    world.clock.now += LevelFollower::kSilentAfter / 2;
    world.follower->do_work(world.clock.now);
    CHECK(world.follower->presence() == Presence::there);
    if (position % 10 == 0) world.start();
  }
}

TEST_CASE("a follower tells a server that is silent from one that has ended", "[workers]") {
  ClientWorld world;
  auto lock = base::FileLock::take(world.folder.file("s.lock"));
  REQUIRE(lock);
  std::optional<base::FileLock> held(std::move(*lock));
  world.follow(Position{0});
  world.server->publish(world.log.append({kLevel}));
  world.next_event();
  CHECK(world.follower->presence() == Presence::there);

  const auto pass = [&](Duration time) {
    for (Duration passed{0}; passed < time; passed += Duration{100'000}) {
      world.step(Duration{100'000});
    }
  };
  world.server.reset();
  pass(std::chrono::seconds(30));
  CHECK(world.follower->presence() == Presence::silent);
  held.reset();
  pass(2 * LevelFollower::kLookEvery);
  CHECK(world.follower->presence() == Presence::gone);

  lock = base::FileLock::take(world.folder.file("s.lock"));
  REQUIRE(lock);
  held.emplace(std::move(*lock));
  world.start();
  pass(std::chrono::seconds(10));
  CHECK(world.follower->presence() == Presence::there);
}

}  // namespace
}  // namespace workers
