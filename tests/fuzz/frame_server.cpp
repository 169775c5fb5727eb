// A server whose peers send anything: each frame is handed on, answered or refused.
#include "bus/frame_server.hpp"

#include <deque>

#include "tests/fuzz/values.hpp"

namespace {

using base::Bytes;
using fuzz::require;

class Socket final : public bus::ServerSocket {
 public:
  bus::ZmqSocket* poll_handle() const override { return nullptr; }
  std::optional<bus::Incoming> receive() override {
    if (incoming.empty()) return std::nullopt;
    bus::Incoming first = std::move(incoming.front());
    incoming.pop_front();
    return first;
  }
  bool send(const bus::PeerId&, Bytes frame) override {
    require(frame.size() <= bus::kFrameBytesMax, "no frame is too large");
    require(bus::decode_frame(frame).has_value(), "what a server says can be read");
    ++answers;
    return true;
  }

  std::deque<bus::Incoming> incoming;
  std::size_t answers = 0;
};

Bytes hello(std::uint8_t how) {
  bus::Hello hello;
  hello.protocol_lowest = 1;
  hello.protocol_highest = how % 4 == 3 ? 0 : 1;
  hello.role = how % 8 < 4 ? bus::Role::client : bus::Role::worker;
  return bus::encode_frame(hello);
}

}  // namespace

// Each piece of the input: a byte for the peer and the kind of message, then a frame or its parts.
void fuzz::run(ByteView in) {
  Source source(in);
  Socket socket;
  bus::FrameServer server(socket, {});
  base::Duration now{0};
  while (!source.is_empty()) {
    const std::uint8_t how = source.byte();
    bus::Incoming next{{static_cast<char>(how & 3)}, {}};
    if (how < 128) {
      next.frame = source.piece();
    } else if (how < 192) {
      next.frame = hello(how >> 2);
    } else {
      bus::Request request;
      request.id.bytes[0] = 1;
      request.verb = source.take(how & 7);
      request.body.encoded = source.piece();
      next.frame = bus::encode_frame(request);
    }
    socket.incoming.push_back(std::move(next));
    const std::size_t answered = socket.answers;
    auto taken = server.receive(now += std::chrono::seconds(how));
    if (server.has_waiting()) taken = server.receive(now);  // another cycle began
    require(socket.incoming.empty(), "every frame is taken");
    require(taken.has_value() == (socket.answers == answered), "it is handed on or answered");
    if (taken) require(server.peers().find(taken->peer->id) != nullptr, "only peers are heard");
    server.peers().forget_silent(now);
  }
}
