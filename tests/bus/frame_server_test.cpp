// The bounds of one duty cycle of a server's socket: frames, bytes and each peer's share. Also the
// refusal of a frame with too many values before it is decoded.
#include "bus/frame_server.hpp"

#include <algorithm>
#include <deque>

#include "tests/support/catch.hpp"

namespace {

using base::Duration;

// A socket in memory: frames from peers lie in `arrived`, as they would in the transport.
class Socket final : public bus::ServerSocket {
 public:
  bus::ZmqSocket* poll_handle() const override { return nullptr; }
  std::optional<bus::Incoming> receive() override {
    if (arrived.empty()) return std::nullopt;
    bus::Incoming first = std::move(arrived.front());
    arrived.pop_front();
    return first;
  }
  bool send(const bus::PeerId& peer, bus::Bytes frame) override {
    sent.emplace_back(peer, bus::decode_frame(frame).value());
    return true;
  }

  void arrive(const bus::PeerId& peer, const bus::Frame& frame) {
    arrived.push_back({peer, bus::encode_frame(frame), nullptr});
  }
  std::vector<bus::Reply> replies_to(const bus::PeerId& peer) const {
    std::vector<bus::Reply> all;
    for (const auto& [to, frame] : sent) {
      const auto* reply = std::get_if<bus::Reply>(&frame);
      if (to == peer && reply != nullptr) all.push_back(*reply);
    }
    return all;
  }

  std::deque<bus::Incoming> arrived;
  std::vector<std::pair<bus::PeerId, bus::Frame>> sent;
};

bus::Hello hello() {
  bus::Hello hello;
  hello.protocol_lowest = hello.protocol_highest = 1;
  return hello;
}

bus::Request request(std::int64_t number, std::size_t bytes = 1) {
  bus::Request request;
  request.id.bytes[0] = 1;
  request.verb = "echo";
  request.ask = number;
  request.body.encoded = base::encode(std::string(bytes, 'x'));
  return request;
}

struct Served {
  bus::PeerId peer;
  std::int64_t number = 0;
};
// Runs one duty cycle and returns the frames that it served.
std::vector<Served> cycle(bus::FrameServer& server) {
  std::vector<Served> all;
  while (const auto from = server.receive(Duration{1})) {
    all.push_back({from->peer->id, std::get<bus::Request>(from->message).ask});
  }
  return all;
}

TEST_CASE("one cycle looks at so many frames, and the next one at the rest", "[bus]") {
  Socket socket;
  bus::FrameServer server(socket, {});
  socket.arrive("flood", hello());
  socket.arrive("good", hello());
  CHECK(cycle(server).empty());
  for (int i = 0; i < 1000; ++i) socket.arrive("flood", request(i + 1));
  socket.arrive("good", request(1));
  CHECK(cycle(server).size() == bus::FrameServer::kFramesPerCycle);
  CHECK(socket.arrived.empty());
  CHECK(server.has_waiting());
  // The good peer comes next, although so many frames were there before its own.
  const auto second = cycle(server);
  REQUIRE(second.size() == bus::FrameServer::kFramesPerCycle);
  CHECK(second[1].peer == "good");
  std::int64_t last = second.back().number;
  while (server.has_waiting()) {
    for (const Served& served : cycle(server)) {
      CHECK(served.number == last + 1);
      last = served.number;
    }
  }
  CHECK(last == 1000);
}

TEST_CASE("a cycle looks at fewer frames while much waits", "[bus]") {
  Socket socket;
  bus::FrameServer server(socket, {});
  socket.arrive("flood", hello());
  cycle(server);
  constexpr std::size_t kBytes = 1024;
  constexpr int kCount = 2 * bus::FrameServer::kFloodBytes / kBytes;
  for (int i = 0; i < kCount; ++i) socket.arrive("flood", request(i + 1, kBytes));
  CHECK(cycle(server).size() == bus::FrameServer::kFramesPerCycle);
  CHECK(cycle(server).size() == bus::FrameServer::kFramesPerCycleInFlood);
  std::size_t longest = 0;
  while (server.has_waiting()) longest = std::max(longest, cycle(server).size());
  CHECK(longest == bus::FrameServer::kFramesPerCycle);
}

TEST_CASE("one cycle looks at so many bytes", "[bus]") {
  Socket socket;
  bus::FrameServer server(socket, {});
  socket.arrive("a", hello());
  for (int i = 0; i < 10; ++i) {
    socket.arrive("a", request(i + 1, bus::FrameServer::kBytesPerCycle / 4));
  }
  CHECK(cycle(server).size() == 4);
  CHECK(cycle(server).size() == 4);
  CHECK(cycle(server).size() == 2);
}

TEST_CASE("frames beyond a peer's share are dropped, and it is told that it may ask again",
          "[bus]") {
  Socket socket;
  bus::FrameServer server(socket, {});
  socket.arrive("flood", hello());
  socket.arrive("good", hello());
  cycle(server);
  socket.sent.clear();
  constexpr std::size_t kLarge = std::size_t{16} << 20;
  constexpr int kCount = 20;  // 320 MiB
  for (int i = 0; i < kCount; ++i) socket.arrive("flood", request(i + 1, kLarge));
  socket.arrive("good", request(1));
  std::size_t of_flood = 0;
  std::size_t of_good = 0;
  do {
    for (const Served& served : cycle(server)) ++(served.peer == "good" ? of_good : of_flood);
  } while (server.has_waiting());
  CHECK(of_good == 1);
  CHECK(of_flood == 1 + bus::kPeerWaitingBytesMax / (kLarge + 512));
  const auto told = socket.replies_to("flood");
  REQUIRE(told.size() == 1);
  CHECK(bus::is_error(told[0], bus::ReplyError::busy));
  CHECK(told[0].text.find("ask again") != std::string::npos);
  CHECK(socket.replies_to("good").empty());
  socket.arrive("flood", request(100, kLarge));
  CHECK(cycle(server).size() == 1);
}

TEST_CASE("a frame of too many values is refused before anything of it is decoded", "[bus]") {
  constexpr std::size_t kItems = 1000;
  Socket socket;
  bus::FrameServer server(socket, {}, kItems);
  socket.arrive("a", hello());
  cycle(server);
  socket.sent.clear();
  bus::Bytes list;
  base::MsgpackWriter writer(list);
  SECTION("in a body") {
    bus::Request many = request(1);
    many.body.encoded.clear();
    base::MsgpackWriter body(many.body.encoded);
    body.array(kItems);
    for (std::size_t i = 0; i < kItems; ++i) body.nil();
    socket.arrive("a", many);
  }
  SECTION("in a hello") {
    bus::Hello many = hello();
    many.features.resize(kItems);
    socket.arrive("a", many);
  }
  SECTION("in fields that nobody knows") {
    writer.array(2);
    writer.text("notice");
    writer.map(kItems);
    for (std::size_t i = 0; i < kItems; ++i) {
      writer.integer(static_cast<std::int64_t>(i));
      writer.nil();
    }
    socket.arrived.push_back({"a", list, nullptr});
  }
  CHECK(cycle(server).empty());
  const auto told = socket.replies_to("a");
  REQUIRE(told.size() == 1);
  CHECK(bus::is_error(told[0], bus::ReplyError::bad_frame));
  CHECK(told[0].text.find("more than 1000 values") != std::string::npos);

  bus::Request some = request(2);
  some.body.encoded.clear();
  base::MsgpackWriter body(some.body.encoded);
  body.array(kItems / 2);
  for (std::size_t i = 0; i < kItems / 2; ++i) body.nil();
  socket.arrive("a", some);
  CHECK(cycle(server).size() == 1);
}

}  // namespace
