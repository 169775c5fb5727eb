// Peers that die while their frames wait to be read. In this case libzmq 4.3.4 aborts the process
// if a heartbeat, its own or the peer's, meets a connection that ended behind a full queue. The
// peers are separate processes, which the test kills.
#include <array>
#include <cstdlib>
#include <memory>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "eventlog/base/time.hpp"
#include "tests/bus/zmtp_peer.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::Duration;

// Long enough for heartbeats that are sent every two seconds.
constexpr Duration kHeartbeatsTime{3'000'000};

struct Folder {
  Folder() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
  ~Folder() {
    for (const char* name : {"/peer", "/feed", "/other"}) {
      ::unlink((path + name).c_str());
      ::unlink((path + name + ".lock").c_str());
    }
    ::rmdir(path.c_str());
  }
  std::string socket(const std::string& name = "peer") const { return path + "/" + name; }
  std::string endpoint(const std::string& name = "peer") const { return "ipc://" + socket(name); }
  std::string path = "/tmp/steno-bus-XXXXXX";
};

// Other traffic in the same process: one round trip through ZeroMQ's thread. When it returns, that
// thread has seen everything that happened before.
class Bystander {
 public:
  Bystander(bus::Context& context, const Folder& folder)
      : server_(*bus::bind_server(context, folder.endpoint("other"))),
        client_(*bus::connect_client(context, folder.endpoint("other"))) {}

  void go_round() {
    const Duration end = clock_.boot() + Duration{30'000'000};
    bool was_sent = false;
    for (;;) {
      if (!was_sent) was_sent = client_->send("round");
      if (const auto incoming = server_->receive()) server_->send(incoming->peer, "and back");
      if (client_->receive()) return;
      std::array items{bus::PollItem::of(*server_), bus::PollItem::of(*client_)};
      items[1].wants_write = !was_sent;
      REQUIRE(bus::poll(items, Duration{100'000}));
      REQUIRE(clock_.boot() < end);
    }
  }
  void go_round_for(Duration time) {
    const Duration end = clock_.boot() + time;
    while (clock_.boot() < end) go_round();
  }

 private:
  base::SystemClock clock_;
  std::unique_ptr<bus::ServerSocket> server_;
  std::unique_ptr<bus::ClientSocket> client_;
};

void wait_for_word(const zmtp::Child& child) {
  std::array items{bus::PollItem::of(child.fd())};
  REQUIRE(bus::poll(items, Duration{30'000'000}) == 1);
  REQUIRE(child.hear() == '.');
}

// Reads until nothing comes any more; returns the number of frames.
template <class Socket>
int count_all(Socket& socket, Bystander& bystander) {
  int count = 0;
  for (int empty_rounds = 0; empty_rounds < 5; ++empty_rounds) {
    for (; socket.receive(); ++count) empty_rounds = 0;
    bystander.go_round();
  }
  return count;
}

zmtp::Bytes times(int count, const zmtp::Bytes& bytes) {
  zmtp::Bytes all;
  for (int i = 0; i < count; ++i) all += bytes;
  return all;
}

TEST_CASE("a server outlives a client that floods it, heartbeats among the frames, and dies",
          "[bus]") {
  const Folder folder;
  zmtp::Child client([&](const zmtp::Child& self) {
    self.hear();
    const zmtp::Peer peer = zmtp::Peer::connected_to(folder.socket());
    peer.shake_hands("DEALER");
    peer.say(zmtp::frame("first"));
    self.hear();
    // More than any queue holds; behind it lie frames and heartbeats that were received together.
    peer.say(times(900, zmtp::frame("hello")) + times(700, zmtp::frame("hello") + zmtp::ping()));
    self.tell();
    self.wait_to_be_killed();
  });
  bus::Context context;
  const auto server = bus::bind_server(context, folder.endpoint());
  REQUIRE(server);
  Bystander bystander(context, folder);
  client.tell();
  while (!(*server)->receive()) bystander.go_round();
  client.tell();
  wait_for_word(client);
  bystander.go_round();
  client.kill();
  bystander.go_round();
  CHECK(count_all(**server, bystander) <= 1600);
  bystander.go_round();
}

TEST_CASE("client and subscriber outlive a server that dies while their queues are full", "[bus]") {
  const Folder folder;
  constexpr int kMessages = 5000;
  const auto start = [&](const char* name, const char* type, const zmtp::Bytes& message) {
    return std::make_unique<zmtp::Child>([=, &folder](const zmtp::Child& self) {
      const zmtp::Peer peer = zmtp::Peer::accepted_at(folder.socket(name));
      peer.shake_hands(type);
      peer.say(zmtp::ping() + times(kMessages, message) + zmtp::ping());
      self.tell();
      self.wait_to_be_killed();
    });
  };
  const auto server = start("peer", "ROUTER", zmtp::frame("hello"));
  const auto publisher =
      start("feed", "XPUB", zmtp::frame("all/", zmtp::kMore) + zmtp::frame("hello"));
  bus::Context context;
  Bystander bystander(context, folder);
  const auto client = bus::connect_client(context, folder.endpoint());
  const auto subscriber = bus::connect_subscriber(context, folder.endpoint("feed"));
  REQUIRE((client && subscriber));
  REQUIRE((*subscriber)->subscribe("all/"));
  wait_for_word(*server);
  wait_for_word(*publisher);
  server->kill();
  publisher->kill();
  bystander.go_round_for(kHeartbeatsTime);
  CHECK(count_all(**client, bystander) <= kMessages);
  CHECK(count_all(**subscriber, bystander) >= 1000);
}

}  // namespace
