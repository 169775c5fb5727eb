// The real sockets, over ipc in a folder of the test's own. Nothing sleeps: all waits are in the
// poller, with a deadline.
#include "bus/zmq_sockets.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>

#include "bus/client.hpp"
#include "bus/endpoint.hpp"
#include "bus/poller.hpp"
#include "bus/shared_subscriber.hpp"
#include "bus/subscription.hpp"
#include "tests/bus/feed_world.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::Duration;
using feed_world::kBody;

struct Folder {
  Folder() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
  ~Folder() {
    for (const char* name : {"/command", "/feed"}) {
      ::unlink((path + name).c_str());
      ::unlink((path + name + ".lock").c_str());
    }
    ::rmdir(path.c_str());
  }
  std::string endpoint(const std::string& name) const { return "ipc://" + path + "/" + name; }
  std::string path = "/tmp/steno-bus-XXXXXX";
};

// A served log and a client, driven in one thread.
struct SocketsWorld {
  SocketsWorld() { restart(); }

  void restart() {
    server.reset();
    auto command = bus::bind_server(context, folder.endpoint("command"));
    auto feed = bus::bind_publisher(context, folder.endpoint("feed"));
    REQUIRE(command);
    REQUIRE(feed);
    log.identity.epoch.counter = 1;
    server = std::make_unique<feed_world::Server>(log, std::move(*command), std::move(*feed),
                                                  base::ServerId::make(clock.wall(), random));
  }

  // Runs everything until `is_done`, waiting for the sockets in between; false after a minute.
  bool run_until(const std::function<bool()>& is_done,
                 const std::vector<const bus::Pollable*>& sockets) {
    const Duration end = clock.boot() + Duration{60'000'000};
    while (!is_done()) {
      if (clock.boot() > end) return false;
      if (server->do_work(clock.boot(), 1000) > 0) continue;
      std::vector<bus::PollItem> items{bus::PollItem::of(server->command())};
      for (const auto* socket : sockets) items.push_back(bus::PollItem::of(*socket));
      REQUIRE(bus::poll(items, Duration{5'000}));
    }
    return true;
  }

  Folder folder;
  base::SystemClock clock;
  base::SystemRandom random;
  bus::Context context;
  feed_world::Log log;
  std::unique_ptr<feed_world::Server> server;
};

// Sends a request and serves it in the same thread; returns the reply.
base::Result<bus::Reply> ask(SocketsWorld& world, bus::Client& client, Duration timeout) {
  const auto id = client.start("echo", kBody, timeout);
  REQUIRE(id);
  std::optional<base::Result<bus::Reply>> outcome;
  REQUIRE(world.run_until(
      [&] {
        client.do_work(world.clock.boot());
        outcome = client.take(*id);
        return outcome.has_value();
      },
      {&client.socket()}));
  return *outcome;
}

TEST_CASE("over ipc a request is answered, also after the server was restarted", "[bus]") {
  SocketsWorld world;
  auto socket = bus::connect_client(world.context, world.folder.endpoint("command"));
  REQUIRE(socket);
  bus::Client client(**socket, world.clock, world.random, {{}, "", Duration{100'000}});
  for (int life = 1; life <= 4; ++life) {
    for (int i = 0; i < 20; ++i) {
      const auto reply = ask(world, client, Duration{30'000'000});
      REQUIRE(reply);
      REQUIRE(reply->body == kBody);
    }
    CHECK(client.welcome_count() >= life);
    world.restart();
  }
}

TEST_CASE("a request waits in the poller, and says when no server answers", "[bus]") {
  SocketsWorld world;
  world.server.reset();
  auto socket = bus::connect_client(world.context, world.folder.endpoint("command"));
  REQUIRE(socket);
  bus::Client client(**socket, world.clock, world.random,
                     {{}, world.folder.endpoint("command"), Duration{20'000}, Duration{50'000}});
  const auto reply = client.request("echo", kBody, Duration{200'000});
  REQUIRE_FALSE(reply);
  CHECK(reply.error().code == base::ErrorCode::unreachable);
  CHECK(reply.error().where == world.folder.endpoint("command"));
  CHECK(client.reconnect_count() > 0);
}

TEST_CASE("a second server on a socket is refused, and the first one lives on", "[bus]") {
  SocketsWorld world;
  for (int i = 0; i < 2; ++i) {
    const auto second = bus::bind_server(world.context, world.folder.endpoint("command"));
    REQUIRE_FALSE(second);
    CHECK(second.error().code == base::ErrorCode::in_use);
  }
  auto socket = bus::connect_client(world.context, world.folder.endpoint("command"));
  bus::Client client(**socket, world.clock, world.random, {});
  CHECK(ask(world, client, Duration{30'000'000}));
}

TEST_CASE("a socket left behind by a killed server is taken over", "[bus][C07]") {
  SocketsWorld world;
  world.server.reset();
  const auto endpoint = bus::parse_endpoint(world.folder.endpoint("command"));
  const pid_t child = ::fork();
  if (child == 0) {
    auto listener = bus::IpcListener::listen(*endpoint);
    ::_exit(listener ? 0 : 1);  // no destructor runs, as after SIGKILL
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WEXITSTATUS(status) == 0);
  REQUIRE(::access(endpoint->path.c_str(), F_OK) == 0);
  CHECK(bus::bind_server(world.context, endpoint->address));
}

// Sends to the server until it has received that many more frames, and returns whether it has.
bool is_heard(bus::ClientSocket& client, bus::ServerSocket& server) {
  base::SystemClock clock;
  const Duration end = clock.boot() + Duration{60'000'000};
  bool is_sent = false;
  while (clock.boot() < end) {
    is_sent = is_sent || client.send("hello");
    if (server.receive()) return true;
    std::vector<bus::PollItem> items{bus::PollItem::of(server), bus::PollItem::of(client)};
    REQUIRE(bus::poll(items, Duration{5'000}));
  }
  return false;
}

TEST_CASE("a socket whose files were removed is bound anew, and who is connected stays", "[bus]") {
  Folder folder;
  bus::Context context;
  const std::string endpoint = folder.endpoint("command");
  auto server = bus::bind_server(context, endpoint);
  REQUIRE(server);
  auto before = bus::connect_client(context, endpoint);
  REQUIRE(before);
  REQUIRE(is_heard(**before, **server));
  CHECK((*server)->stay_reachable() == false);

  const bool is_whole_folder = GENERATE(true, false);
  const bool is_lock = GENERATE(true, false);
  if (is_whole_folder || !is_lock) ::unlink((folder.path + "/command").c_str());
  if (is_whole_folder || is_lock) ::unlink((folder.path + "/command.lock").c_str());
  if (is_whole_folder) REQUIRE(::rmdir(folder.path.c_str()) == 0);
  CHECK((*server)->stay_reachable() == true);
  CHECK((*server)->stay_reachable() == false);
  struct stat status {};
  REQUIRE(::stat(folder.path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  auto after = bus::connect_client(context, endpoint);
  REQUIRE(after);
  CHECK(is_heard(**after, **server));
  CHECK(is_heard(**before, **server));
}

TEST_CASE("a socket whose place another server has taken is not bound anew", "[bus]") {
  Folder folder;
  bus::Context context;
  const std::string endpoint = folder.endpoint("command");
  auto server = bus::bind_server(context, endpoint);
  REQUIRE(server);
  ::unlink((folder.path + "/command").c_str());
  ::unlink((folder.path + "/command.lock").c_str());
  auto other = bus::bind_server(context, endpoint);
  REQUIRE(other);
  const auto bound = (*server)->stay_reachable();
  REQUIRE_FALSE(bound);
  CHECK(bound.error().code == base::ErrorCode::in_use);
  // Its end takes nothing away from the other one.
  server->reset();
  CHECK((*other)->stay_reachable() == false);
}

TEST_CASE("a foreign file in the socket's place is refused and left alone", "[bus]") {
  SocketsWorld world;
  const std::string path = world.folder.path + "/other";
  std::ofstream(path) << "not a socket";
  const auto refused = bus::bind_server(world.context, world.folder.endpoint("other"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::ErrorCode::refused);
  std::ifstream left(path);
  std::string text;
  CHECK(std::getline(left, text));
  CHECK(text == "not a socket");
}

TEST_CASE("the socket and its folder are ours alone", "[bus]") {
  SocketsWorld world;
  struct stat status {};
  REQUIRE(::stat((world.folder.path + "/command").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  world.server.reset();
  CHECK(::access((world.folder.path + "/command").c_str(), F_OK) != 0);
  REQUIRE(::chmod(world.folder.path.c_str(), 0755) == 0);
  const auto refused = bus::bind_server(world.context, world.folder.endpoint("command"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::ErrorCode::refused);
  REQUIRE(::chmod(world.folder.path.c_str(), 0700) == 0);
}

TEST_CASE("endpoints that cannot be used are refused with the reason", "[bus]") {
  const auto code = [](const std::string& text) { return bus::parse_endpoint(text).error().code; };
  CHECK(code("tcp://127.0.0.1:5555") == base::ErrorCode::refused);
  CHECK(code("ipc://relative/path") == base::ErrorCode::invalid);
  CHECK(code("ipc://@abstract") == base::ErrorCode::invalid);
  CHECK(code("http://x") == base::ErrorCode::invalid);
  CHECK(code("ipc:///" + std::string(107, 'x')) == base::ErrorCode::too_large);
  CHECK(bus::parse_endpoint("ipc:///" + std::string(106, 'x')));
}

TEST_CASE("an oversized frame is not sent, by client or server", "[bus]") {
  SocketsWorld world;
  auto socket = bus::connect_client(world.context, world.folder.endpoint("command"));
  bus::Client client(**socket, world.clock, world.random, {});
  const base::RawValue large{base::encode(std::string(bus::kFrameBytesMax, 'x'))};
  const auto reply = client.request("echo", large, Duration{1'000'000});
  REQUIRE_FALSE(reply);
  CHECK(reply.error().code == base::ErrorCode::too_large);
  CHECK_FALSE((*socket)->send(bus::Bytes(bus::kFrameBytesMax + 1, 'x')));
  CHECK(ask(world, client, Duration{30'000'000}));
}

TEST_CASE("a server is told when its peer is gone", "[bus]") {
  SocketsWorld world;
  world.server.reset();
  auto server = bus::bind_server(world.context, world.folder.endpoint("command"));
  REQUIRE(server);
  auto client = bus::connect_client(world.context, world.folder.endpoint("command"));
  std::array items{bus::PollItem::of(**client), bus::PollItem::of(**server)};
  items[0].wants_read = false;
  items[0].wants_write = true;
  REQUIRE(bus::poll({items.data(), 1}, Duration{30'000'000}) == 1);
  CHECK(items[0].is_writable);
  REQUIRE((*client)->send("hello"));
  REQUIRE(bus::poll({items.data() + 1, 1}, Duration{30'000'000}) == 1);
  const auto incoming = (*server)->receive();
  REQUIRE(incoming);
  CHECK((*server)->send(incoming->peer, "hello yourself"));
  CHECK_FALSE((*server)->send(bus::PeerId("\0nobody", 7), "lost"));
  client->reset();
  // The server's socket learns of the end when its I/O thread does.
  bool was_sent = true;
  base::SystemClock clock;
  const Duration end = clock.boot() + Duration{30'000'000};
  while (was_sent && clock.boot() < end) {
    REQUIRE(bus::poll({items.data() + 1, 1}, Duration{1'000}));
    was_sent = (*server)->send(incoming->peer, "are you there?");
  }
  CHECK_FALSE(was_sent);
}

// A socket and the poller share what they know of libzmq. Where that is wrong, a message waits
// until another one comes, and the poller's deadline passes.
TEST_CASE("nothing is missed, however receiving, sending and waiting are mixed", "[bus]") {
  const Folder folder;
  bus::Context context;
  const auto server = bus::bind_server(context, folder.endpoint("command"));
  const auto client = bus::connect_client(context, folder.endpoint("command"));
  const auto publisher = bus::bind_publisher(context, folder.endpoint("feed"));
  const auto subscriber = bus::connect_subscriber(context, folder.endpoint("feed"));
  REQUIRE(server);
  REQUIRE(client);
  REQUIRE(publisher);
  REQUIRE(subscriber);
  std::array at_client{bus::PollItem::of(**client)};
  std::array at_server{bus::PollItem::of(**server)};
  std::array at_subscriber{bus::PollItem::of(**subscriber)};
  std::array at_publisher{bus::PollItem::of(**publisher)};
  std::array all{bus::PollItem::of(**client), bus::PollItem::of(**server),
                 bus::PollItem::of(**subscriber), bus::PollItem::of(**publisher)};
  at_client[0].wants_write = true;
  REQUIRE(bus::poll(at_client, Duration{30'000'000}) == 1);
  at_client[0].wants_write = false;
  REQUIRE((*client)->send("hello"));
  REQUIRE(bus::poll(at_server, Duration{30'000'000}) == 1);
  const auto hello = (*server)->receive();
  REQUIRE(hello);
  REQUIRE((*subscriber)->subscribe("all/"));
  REQUIRE(bus::poll(at_publisher, Duration{30'000'000}) == 1);
  REQUIRE((*publisher)->receive());

  constexpr int kPublishedMax = 500;  // a subscriber misses what its queue cannot hold
  base::SeededRandom random(GENERATE(1U, 2U, 3U));
  int to_server = 0;  // messages on their way
  int to_client = 0;
  int published = 0;
  const auto wait_for_one = [](auto& items, auto& socket, int& under_way) {
    if (under_way == 0) return;
    REQUIRE(bus::poll(items, Duration{30'000'000}) == 1);
    REQUIRE(socket.receive());
    --under_way;
  };
  for (int i = 0; i < 20'000; ++i) {
    switch (random.below(11)) {
      case 0:
        if ((*client)->send("up")) ++to_server;
        break;
      case 1:
        if ((*server)->send(hello->peer, "down")) ++to_client;
        break;
      case 2:
        if ((*server)->receive()) --to_server;
        break;
      case 3:
        if ((*client)->receive()) --to_client;
        break;
      case 4:
        for (bus::PollItem& item : all) item.wants_write = random.chance(30);
        REQUIRE(bus::poll(all, Duration{0}));
        break;
      case 5:
        wait_for_one(at_server, **server, to_server);
        break;
      case 6:
        wait_for_one(at_client, **client, to_client);
        break;
      case 7:
        if (published == kPublishedMax) break;
        (*publisher)->publish("all/", "news");
        ++published;
        break;
      case 8:
        if ((*subscriber)->receive()) --published;
        break;
      case 9:
        REQUIRE_FALSE((*publisher)->receive());
        break;
      default:
        wait_for_one(at_subscriber, **subscriber, published);
    }
    REQUIRE(to_server >= 0);
    REQUIRE(to_client >= 0);
    REQUIRE(published >= 0);
  }
}

TEST_CASE("a client's full queue refuses instead of blocking", "[bus]") {
  SocketsWorld world;
  auto socket = bus::connect_client(world.context, world.folder.endpoint("command"));
  std::array items{bus::PollItem::of(**socket)};
  items[0].wants_write = true;
  REQUIRE(bus::poll(items, Duration{30'000'000}) == 1);
  int sent = 0;
  while (sent < 1'000'000 && (*socket)->send(bus::Bytes(1000, 'x'))) ++sent;
  CHECK(sent >= 1000);
  CHECK(sent < 1'000'000);
}

// Starts a process that connects, sends one word, and then reads everything until it is killed.
pid_t start_reader(const std::string& endpoint) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  bus::Context context;
  const auto socket = bus::connect_client(context, endpoint);
  std::array items{bus::PollItem::of(**socket)};
  for (bool was_sent = false;;) {
    items[0].wants_write = !was_sent;
    if (!was_sent) was_sent = (*socket)->send("hello");
    while ((*socket)->receive()) {
    }
    if (!bus::poll(items, Duration{1'000'000})) ::_exit(1);
  }
}

TEST_CASE("what waits for a peer that is stopped is bounded in bytes", "[bus]") {
  const Folder folder;
  const pid_t reader = start_reader(folder.endpoint("command"));
  bus::Context context;
  constexpr std::size_t kFrame = std::size_t{4} << 20;
  constexpr std::size_t kMax = bus::kFrameBytesMax;
  // In flight beside the queue: bytes in the kernel and the frame that is being written.
  constexpr std::size_t kUnderWay = 2 * kFrame;
  const auto server = bus::bind_server(context, folder.endpoint("command"), kMax);
  REQUIRE(server);
  const std::array items{bus::PollItem::of(**server)};
  base::SystemClock clock;
  const Duration end = clock.boot() + Duration{60'000'000};
  const auto wait = [&] {
    auto waited = items;
    REQUIRE(bus::poll(waited, Duration{1'000}));
    REQUIRE(clock.boot() < end);
  };
  std::optional<bus::Incoming> hello;
  while (!(hello = (*server)->receive())) wait();
  REQUIRE(::kill(reader, SIGSTOP) == 0);
  int status = 0;
  REQUIRE(::waitpid(reader, &status, WUNTRACED) == reader);

  std::size_t sent = 0;
  while (sent <= kMax + kUnderWay && (*server)->send(hello->peer, bus::Bytes(kFrame, 'x'))) {
    sent += kFrame;
  }
  CHECK(sent + kFrame > kMax);
  CHECK(sent <= kMax + kUnderWay);
  CHECK((*server)->send(hello->peer, "a small one goes"));
  REQUIRE(::kill(reader, SIGCONT) == 0);
  while (!(*server)->send(hello->peer, bus::Bytes(kMax, 'x'))) wait();  // goes once all is read
  REQUIRE(::kill(reader, SIGKILL) == 0);
  REQUIRE(::waitpid(reader, &status, 0) == reader);
}

TEST_CASE("a publisher is told of each subscription, and of a topic's last subscriber's leaving",
          "[bus]") {
  const Folder folder;
  bus::Context context;
  const auto publisher = bus::bind_publisher(context, folder.endpoint("feed"));
  REQUIRE(publisher);
  const auto next_change = [&] {
    base::SystemClock clock;
    const Duration end = clock.boot() + Duration{10'000'000};
    for (;;) {
      if (const auto change = (*publisher)->receive()) return *change;
      REQUIRE(clock.boot() < end);
      std::vector<bus::PollItem> items{bus::PollItem::of(**publisher)};
      REQUIRE(bus::poll(items, Duration{5'000}));
    }
  };
  auto first = bus::connect_subscriber(context, folder.endpoint("feed"));
  auto second = bus::connect_subscriber(context, folder.endpoint("feed"));
  (*first)->subscribe("all/");
  CHECK(next_change() == bus::SubscriptionChange{true, "all/"});
  (*second)->subscribe("all/");
  CHECK(next_change() == bus::SubscriptionChange{true, "all/"});
  // A later message arrives first, so nothing came before it.
  (*first)->unsubscribe("all/");
  (*first)->subscribe("agent/");
  CHECK(next_change() == bus::SubscriptionChange{true, "agent/"});
  second->reset();
  CHECK(next_change() == bus::SubscriptionChange{false, "all/"});
}

TEST_CASE("the poller sees pipes, and the end of one", "[bus]") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  std::array items{bus::PollItem::of(ends[0]), bus::PollItem::of(ends[1])};
  items[1].wants_read = false;
  items[1].wants_write = true;
  CHECK(bus::poll(items, Duration{0}) == 1);
  CHECK_FALSE(items[0].is_readable);
  CHECK(items[1].is_writable);
  REQUIRE(::close(ends[1]) == 0);
  CHECK(bus::poll({items.data(), 1}, Duration{30'000'000}) == 1);
  CHECK(items[0].is_readable);
  ::close(ends[0]);
}

// A subscriber with a client of its own, over ipc.
struct SocketsFollower {
  SocketsFollower(SocketsWorld& world, const std::string& level)
      : feed(*bus::connect_subscriber(world.context, world.folder.endpoint("feed"))),
        socket(*bus::connect_client(world.context, world.folder.endpoint("command"))),
        client(*socket, world.clock, world.random, {{}, "", Duration{100'000}}),
        reader(client, Duration{10'000'000}),
        subscription(*feed, reader, world.random, {level, {}, {}, 4096}) {}

  void do_work(Duration now) {
    client.do_work(now);
    subscription.do_work(now);
    while (auto event = subscription.receive()) {
      REQUIRE(*event);
      if ((*event)->position != base::Position{seen + 1}) is_in_order = false;
      ++seen;
    }
  }

  std::unique_ptr<bus::SubscriberSocket> feed;
  std::unique_ptr<bus::ClientSocket> socket;
  bus::Client client;
  bus::ClientLogReader reader;
  bus::Subscription subscription;
  std::int64_t seen = 0;
  bool is_in_order = true;
};

TEST_CASE("a burst of 200,000 events to a slow subscriber ends complete and in order", "[bus]") {
  SocketsWorld world;
  SocketsFollower follower(world, "all/");
  const std::vector<const bus::Pollable*> sockets{follower.feed.get(), follower.socket.get()};
  const auto is_live = [&] {
    follower.do_work(world.clock.boot());
    return follower.subscription.is_live();
  };
  REQUIRE(world.run_until(is_live, sockets));
  // One message for each event, far more than the queues hold, while nobody reads.
  constexpr std::int64_t kEvents = 200'000;
  for (std::int64_t i = 0; i < kEvents; ++i) {
    world.server->publish(world.log.append({"all/"}));
    world.server->publisher.flush(world.clock.boot());
  }
  const auto is_complete = [&] {
    follower.do_work(world.clock.boot());
    return follower.seen == kEvents && follower.subscription.is_live();
  };
  REQUIRE(world.run_until(is_complete, sockets));
  CHECK(follower.is_in_order);
  // Most events did not fit into the queues and came from the log.
  CHECK(follower.subscription.counts().pages > 10);
}

TEST_CASE("a subscriber survives the server's restarts", "[bus]") {
  SocketsWorld world;
  SocketsFollower follower(world, "all/");
  const std::vector<const bus::Pollable*> sockets{follower.feed.get(), follower.socket.get()};
  for (int life = 0; life < 4; ++life) {
    for (int i = 0; i < 100; ++i) world.server->publish(world.log.append({"all/"}));
    const auto is_complete = [&] {
      follower.do_work(world.clock.boot());
      return follower.seen == world.log.head().value && follower.subscription.is_live();
    };
    REQUIRE(world.run_until(is_complete, sockets));
    world.restart();
  }
  CHECK(follower.is_in_order);
}

TEST_CASE("many levels are followed over one connection, whoever joins, leaves or is slow",
          "[bus]") {
  SocketsWorld world;
  auto connection = bus::connect_subscriber(world.context, world.folder.endpoint("feed"));
  auto client_socket = bus::connect_client(world.context, world.folder.endpoint("command"));
  REQUIRE(connection);
  REQUIRE(client_socket);
  bus::Client client(**client_socket, world.clock, world.random, {});
  bus::SharedSubscriber shared(**connection);

  struct One {
    One(SocketsWorld& w, bus::Client& c, bus::SharedSubscriber& s, const std::string& its_level)
        : level(its_level),
          feed(s.open()),
          reader(c, Duration{2'000'000}),
          subscription(*feed, reader, w.random, {level, {}, w.log.identity, 64}) {}

    void take() {
      while (const auto event = subscription.receive()) {
        REQUIRE(*event);
        if ((*event)->position > base::Position{0}) seen.push_back(**event);
      }
    }

    const std::string level;
    std::unique_ptr<bus::SubscriberSocket> feed;
    bus::ClientLogReader reader;
    bus::Subscription subscription;
    std::vector<bus::FeedEvent> seen;
    bool is_slow = false;
  };
  std::vector<std::unique_ptr<One>> all;
  std::map<std::string, std::size_t> published;  // events, by level
  const auto follow = [&](const std::string& level) -> One& {
    return *all.emplace_back(std::make_unique<One>(world, client, shared, level));
  };
  const std::vector<const bus::Pollable*> sockets{connection->get(), client_socket->get()};
  const auto are_complete = [&] {
    while (shared.do_work() > 0) {
      for (const auto& one : all) one->subscription.do_work(world.clock.boot());
    }
    client.do_work(world.clock.boot());
    return std::count_if(all.begin(), all.end(), [&](const std::unique_ptr<One>& one) {
             one->subscription.do_work(world.clock.boot());
             if (one->is_slow) return true;
             one->take();
             return one->subscription.is_live() && one->seen.size() == published[one->level];
           }) == static_cast<std::ptrdiff_t>(all.size());
  };
  const auto session = [](int i) { return "session/a/" + std::to_string(i) + "/"; };
  const auto publish = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const auto& entry = world.log.append({"all/", "agent/a/", session(i % 100)});
      for (const std::string& level : entry.levels) ++published[level];
      world.server->publish(entry);
      world.server->publisher.flush(world.clock.boot());
    }
  };

  for (int i = 0; i < 100; ++i) follow(session(i));
  One& slow = follow("all/");
  publish(1'000);
  REQUIRE(world.run_until(are_complete, sockets));
  slow.is_slow = true;
  follow("agent/a/");
  follow(session(7));
  all.erase(all.begin() + 3);
  for (int i = 0; i < 20; ++i) {
    publish(100);
    REQUIRE(world.run_until(are_complete, sockets));
  }
  slow.is_slow = false;
  REQUIRE(world.run_until(are_complete, sockets));
  for (const auto& one : all) {
    CAPTURE(one->level);
    CHECK((one->seen == world.log.at_level(one->level, {})));
  }
  CHECK(shared.dropped() > 0);
}

}  // namespace
