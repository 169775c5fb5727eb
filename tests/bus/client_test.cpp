// Requests of a client over the memory bus: each is answered once under its id, or ends with a
// clear error, whatever is lost. Bounds on requests and peers, and notices both ways.
#include "bus/client.hpp"

#include <set>

#include "bus/memory_bus.hpp"
#include "tests/bus/feed_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/manual_clock.hpp"

namespace {

using base::Duration;
using feed_world::kBody;
using support::ManualClock;

struct ClientWorld {
  explicit ClientWorld(std::uint64_t seed, bus::MemoryFaults faults = {})
      : random(seed),
        bus(random, faults),
        socket(bus.connect_client("command", "c1")),
        client(*socket, clock, random, {{}, "memory", Duration{200'000}, Duration{600'000}}) {
    log.identity.epoch.counter = 1;
    restart();
  }
  void restart() {
    server.reset();
    server = std::make_unique<feed_world::Server>(log, bus.bind_server("command"),
                                                  bus.bind_publisher("feed"),
                                                  base::ServerId::make({1}, random));
  }
  void step(Duration passed = Duration{5'000}) {
    clock.now += passed;
    bus.advance(clock.now);
    if (server) server->do_work(clock.now, 10);
    client.do_work(clock.now);
  }
  base::Result<bus::Reply> wait(const base::CommandId& id) {
    while (true) {
      step();
      if (auto outcome = client.take(id)) return *outcome;
    }
  }

  base::SeededRandom random;
  ManualClock clock;
  bus::MemoryBus bus;
  feed_world::Log log;
  std::unique_ptr<feed_world::Server> server;
  std::unique_ptr<bus::ClientSocket> socket;
  bus::Client client;
};

TEST_CASE("a request is answered, after HELLO was", "[bus]") {
  ClientWorld world(1);
  const auto id = world.client.start("echo", kBody, Duration{1'000'000});
  REQUIRE(id);
  const auto reply = world.wait(*id);
  REQUIRE(reply);
  CHECK(reply->body == kBody);
  CHECK(reply->id == *id);
  REQUIRE(world.client.welcome());
  CHECK(world.client.welcome()->protocol == 1);
  CHECK(world.client.resend_count() == 0);
  CHECK_FALSE(world.client.take(*id));
}

TEST_CASE("whatever is lost, every request is answered under its id, for 200 seeds", "[bus]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    ClientWorld world(seed, {.loss_percent = 25,
                             .duplicate_percent = 10,
                             .delay_percent = 30,
                             .delay_max = Duration{100'000},
                             .reorder_percent = 20});
    for (int i = 0; i < 20; ++i) {
      if (world.random.chance(10)) world.restart();
      const auto id = world.client.start("echo", kBody, Duration{120'000'000});
      REQUIRE(id);
      const auto reply = world.wait(*id);
      REQUIRE(reply);
      REQUIRE(reply->body == kBody);
    }
  }
}

TEST_CASE("without a server the error says so, with one that is silent it is a time-out", "[bus]") {
  ClientWorld world(2);
  world.server.reset();
  auto id = world.client.start("echo", kBody, Duration{1'000'000});
  auto reply = world.wait(*id);
  REQUIRE_FALSE(reply);
  CHECK(reply.error().code == base::ErrorCode::unreachable);
  CHECK(reply.error().where == "memory");

  world.restart();
  id = world.client.start("echo", kBody, Duration{1'000'000});
  REQUIRE(world.wait(*id));
  // The client hears the server's welcome, but never the reply.
  id = world.client.start("echo", kBody, Duration{1'000'000});
  world.client.do_work(world.clock.now);
  world.bus.advance(world.clock.now);
  world.server->frames.receive(world.clock.now);
  world.server->frames.notify(bus::PeerId(), {"nobody", {}});
  for (int i = 0; i < 250; ++i) {
    world.clock.now += Duration{5'000};
    world.bus.advance(world.clock.now);
    world.server->frames.receive(world.clock.now);
    world.client.do_work(world.clock.now);
  }
  reply = *world.client.take(*id);
  REQUIRE_FALSE(reply);
  CHECK(reply.error().code == base::ErrorCode::timeout);
}

TEST_CASE("a server that was restarted is greeted and asked again", "[bus]") {
  ClientWorld world(3);
  auto id = world.client.start("echo", kBody, Duration{10'000'000});
  REQUIRE(world.wait(*id));
  const auto before = world.client.welcome()->server;
  world.restart();
  id = world.client.start("echo", kBody, Duration{10'000'000});
  REQUIRE(world.wait(*id));
  CHECK(world.client.welcome()->server != before);
  CHECK(world.client.welcome_count() == 2);
}

TEST_CASE("a request that is too large is not sent", "[bus]") {
  ClientWorld world(4);
  const base::RawValue large{base::encode(std::string(bus::kFrameBytesMax, 'x'))};
  const auto id = world.client.start("echo", large, Duration{1'000'000});
  REQUIRE_FALSE(id);
  CHECK(id.error().code == base::ErrorCode::too_large);
  CHECK(id.error().text.find(std::to_string(bus::kFrameBytesMax)) != std::string::npos);
}

TEST_CASE("requests over the bound are refused, and forgotten ones make room", "[bus]") {
  ClientWorld world(5);
  std::vector<base::CommandId> ids;
  for (std::size_t i = 0; i < bus::Client::kRequestsMax; ++i) {
    ids.push_back(*world.client.start("echo", kBody, Duration{1'000'000}));
  }
  CHECK(world.client.start("echo", kBody, Duration{1}).error().code == base::ErrorCode::busy);
  world.client.forget(ids.front());
  CHECK(world.client.start("echo", kBody, Duration{1'000'000}));
}

TEST_CASE("a request before HELLO is refused, and so is what servers do not accept", "[bus]") {
  ClientWorld world(6);
  auto raw = world.bus.connect_client("command", "raw");
  const auto ask = [&](const bus::Bytes& bytes) {
    REQUIRE(raw->send(bytes));
    world.step();
    world.step();
    const auto answer = raw->receive();
    REQUIRE(answer);
    return bus::decode_frame(*answer).value();
  };
  const auto id = base::CommandId::make({1}, world.random);
  auto reply = std::get<bus::Reply>(ask(bus::encode_frame(bus::Request{id, "echo", {}})));
  CHECK(reply.id == id);
  CHECK(bus::is_error(reply, bus::ReplyError::hello_first));
  reply = std::get<bus::Reply>(ask("rubbish"));
  CHECK(bus::is_error(reply, bus::ReplyError::bad_frame));
  reply = std::get<bus::Reply>(
      ask(bus::encode_frame(bus::Hello{7, 9, bus::Role::client, {}, "", "", ""})));
  CHECK(bus::is_error(reply, bus::ReplyError::protocol));
  CHECK(reply.text.find("7 to 9") != std::string::npos);
  const auto welcome = std::get<bus::Welcome>(
      ask(bus::encode_frame(bus::Hello{1, 9, bus::Role::client, {}, "", "", ""})));
  CHECK(welcome.protocol == 1);
  reply = std::get<bus::Reply>(ask(bus::encode_frame(welcome)));
  CHECK(bus::is_error(reply, bus::ReplyError::bad_frame));
}

TEST_CASE("notices go both ways once the client is welcome", "[bus]") {
  ClientWorld world(7);
  CHECK_FALSE(world.client.send_notice({"early", {}}));
  for (int i = 0; i < 3; ++i) world.step();
  REQUIRE(world.client.send_notice({"heartbeat", kBody}));
  world.clock.now += Duration{1};
  world.bus.advance(world.clock.now);
  const auto from = world.server->frames.receive(world.clock.now);
  REQUIRE(from);
  CHECK(std::get<bus::Notice>(from->message).verb == "heartbeat");
  CHECK(world.server->frames.notify(from->peer->id, {"directive", kBody}));
  world.step();
  CHECK(world.client.take_notice() == bus::Notice{"directive", kBody});
  CHECK_FALSE(world.client.take_notice());
}

TEST_CASE("a full table of peers forgets the one silent longest, whatever it is", "[bus]") {
  bus::Peers peers(3);
  const bus::Hello client{1, 1, bus::Role::client, {}, "c", "", ""};
  const bus::Hello worker{1, 1, bus::Role::worker, {}, "w", "", ""};
  CHECK(peers.greet("w", worker, Duration{0}));
  CHECK(peers.greet("a", client, Duration{1}));
  CHECK(peers.greet("b", worker, Duration{2}));
  CHECK(peers.heard("w", Duration{3}));
  CHECK(peers.greet("c", client, Duration{4}));
  CHECK(peers.greet("d", client, Duration{5}));
  CHECK(peers.count() == 3);
  CHECK(peers.find("a") == nullptr);
  CHECK(peers.find("b") == nullptr);
  CHECK(peers.find("w") != nullptr);
}

// Accepts every frame and never has an answer, like a connection to a host that has vanished.
class DeadSocket final : public bus::ClientSocket {
 public:
  bus::ZmqSocket* poll_handle() const override { return nullptr; }
  bool send(base::Bytes) override { return true; }
  std::optional<base::Bytes> receive() override { return std::nullopt; }
  void reconnect() override { ++reconnections; }

  int reconnections = 0;
};

TEST_CASE("a client that hears nothing makes its connection anew", "[bus]") {
  ManualClock clock;
  base::SeededRandom random(9);
  DeadSocket socket;
  bus::Client client(socket, clock, random, {});
  Duration now = std::chrono::seconds(1);
  const auto pass = [&](int seconds) {
    for (int i = 0; i < seconds * 10; ++i, now += Duration{100'000}) client.do_work(now);
  };
  pass(10);
  CHECK(socket.reconnections == 0);  // nobody waits for anything
  REQUIRE(client.start("verb", {}, std::chrono::seconds(60)));
  pass(2);
  CHECK(socket.reconnections == 0);
  pass(8);
  CHECK(socket.reconnections >= 3);
  CHECK(socket.reconnections <= 4);
}

TEST_CASE("a lost reply is asked for again while others are heard", "[bus]") {
  ClientWorld world(8);
  const auto first = world.client.start("echo", kBody, Duration{10'000'000});
  REQUIRE(world.wait(*first));
  world.bus.partition("c1", bus::PartitionDirection::from_peer);
  const auto lost = world.client.start("echo", kBody, Duration{10'000'000});
  world.step();
  world.bus.partition("c1", bus::PartitionDirection::none);
  // Something is heard all the time, so the connection is kept.
  for (int i = 0; i < 500 && world.client.resend_count() == 0; ++i) {
    const auto other = world.client.start("echo", kBody, Duration{10'000'000});
    REQUIRE(world.wait(*other));
  }
  REQUIRE(world.wait(*lost));
  CHECK(world.client.resend_count() == 1);
  CHECK(world.client.reconnect_count() == 0);
}

TEST_CASE("a request that finds no room comes again by itself, ever more slowly", "[bus]") {
  ClientWorld world(10);
  int asked = 0;
  int busy_until = 4;
  std::vector<Duration> moments;
  const auto serve = [&] {
    world.clock.now += Duration{5'000};
    world.bus.advance(world.clock.now);
    while (const auto from = world.server->frames.receive(world.clock.now)) {
      const auto* request = std::get_if<bus::Request>(&from->message);
      if (request == nullptr) continue;
      moments.push_back(world.clock.now);
      const bool is_busy = ++asked < busy_until;
      world.server->frames.reply(
          from->peer->id,
          is_busy ? bus::error_reply(request->key(), bus::ReplyError::busy, "no room for it")
                  : bus::ok_reply(request->key(), request->body));
    }
    world.client.do_work(world.clock.now);
  };
  const auto wait = [&](const base::CommandId& id) {
    while (true) {
      serve();
      if (auto outcome = world.client.take(id)) return *outcome;
    }
  };
  const auto reply = wait(*world.client.start("echo", kBody, Duration{10'000'000}));
  REQUIRE(reply);
  CHECK(reply->body == kBody);
  REQUIRE(moments.size() == 4);
  CHECK(moments[2] - moments[1] > moments[1] - moments[0]);
  CHECK(moments[3] - moments[2] > moments[2] - moments[1]);

  busy_until = 1'000'000;
  const auto never = wait(*world.client.start("echo", kBody, Duration{2'000'000}));
  REQUIRE_FALSE(never);
  CHECK(never.error().code == base::ErrorCode::busy);
  CHECK(never.error().text.find("no room for it; the outcome is unknown") == 0);
}

TEST_CASE("a late copy of what answered an earlier asking is no answer", "[bus]") {
  ClientWorld world(11);
  std::optional<bus::Request> asked;
  bus::PeerId asker;
  const auto serve = [&] {
    world.clock.now += Duration{5'000};
    world.bus.advance(world.clock.now);
    if (auto from = world.server->frames.receive(world.clock.now)) {
      asker = from->peer->id;
      asked = std::get<bus::Request>(from->message);
    }
    world.client.do_work(world.clock.now);
  };
  const auto ask = [&](const base::CommandId& id) {
    REQUIRE(world.client.start(id, "echo", kBody, Duration{10'000'000}));
    asked.reset();
    while (!asked) serve();
    return asked->key();
  };
  const auto answer = [&](const bus::RequestKey& key, const std::string& text) {
    world.server->frames.reply(asker, bus::ok_reply(key, base::RawValue{base::encode(text)}));
    for (int i = 0; i < 3; ++i) serve();
  };
  const auto id = base::CommandId::make({1}, world.random);
  const bus::RequestKey first = ask(id);
  answer(first, "first");
  REQUIRE(world.client.take(id));

  const bus::RequestKey second = ask(id);
  CHECK(second.ask > first.ask);
  answer(first, "first");
  CHECK_FALSE(world.client.take(id));
  answer(second, "second");
  const auto taken = world.client.take(id);
  REQUIRE((taken && *taken));
  CHECK((*taken)->body == base::RawValue{base::encode(std::string("second"))});
}

TEST_CASE("peers are forgotten after silence", "[bus]") {
  bus::Peers peers(2, Duration{100});
  const bus::Hello hello{1, 1, bus::Role::worker, {}, "w", "", ""};
  CHECK(peers.greet("a", hello, Duration{0}));
  CHECK(peers.greet("b", hello, Duration{0}));
  CHECK(peers.heard("a", Duration{90}));
  peers.forget_silent(Duration{99});
  CHECK(peers.count() == 2);
  peers.forget_silent(Duration{100});
  CHECK(peers.count() == 1);
  CHECK(peers.find("a")->hello.role == bus::Role::worker);
  CHECK_FALSE(peers.heard("b", Duration{100}));
}

}  // namespace
