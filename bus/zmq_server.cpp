// ServerSocket over ROUTER.
#include <utility>

#include "bus/zmq_socket.hpp"
#include "bus/zmq_sockets.hpp"

namespace bus {
namespace {

// A PeerId is one byte, then the routing id. REQ sockets put an empty part before the frame and
// want one back; the byte says so.
constexpr char kPlain = 0;
constexpr char kDelimited = 1;

class ZmqServer final : public ServerSocket {
 public:
  explicit ZmqServer(BoundSocket bound)
      : listener_(std::move(bound.listener)), socket_(std::move(bound.socket)) {}

  void* poll_handle() const override { return const_cast<zmq::socket_t&>(socket_).handle(); }

  std::optional<Incoming> receive() override {
    zmq::message_t part;
    while (receive_part(socket_, part)) {
      if (auto incoming = receive_rest(part)) return incoming;
    }
    return std::nullopt;
  }

  bool send(const PeerId& peer, Bytes frame) override {
    if (peer.size() < 2 || frame.size() > kFrameBytesMax) return false;
    // ROUTER takes or refuses a message with its first part, without waiting.
    if (!send_part(socket_, ByteView(peer).substr(1), true)) return false;
    if (peer[0] == kDelimited && !send_part(socket_, {}, true)) return false;
    return send_part(socket_, frame);
  }

 private:
  // None: not a message of ours; its parts are dropped.
  std::optional<Incoming> receive_rest(const zmq::message_t& routing) {
    if (!routing.more()) return std::nullopt;
    Incoming incoming{PeerId(1, kPlain), {}};
    incoming.peer.append(routing.to_string_view());
    zmq::message_t part;
    if (!receive_part(socket_, part)) return std::nullopt;
    if (part.more() && part.size() == 0) {
      incoming.peer[0] = kDelimited;
      if (!receive_part(socket_, part)) return std::nullopt;
    }
    if (part.more()) {
      drop_parts(socket_, part);
      return std::nullopt;
    }
    incoming.frame.assign(part.to_string_view());
    return incoming;
  }

  IpcListener listener_;  // freed after the socket
  zmq::socket_t socket_;
};

}  // namespace

base::Result<std::unique_ptr<ServerSocket>> bind_server(Context& context,
                                                        std::string_view endpoint) {
  auto bound = bind_socket(context, endpoint, zmq::socket_type::router, [](zmq::socket_t& socket) {
    set_common_options(socket, static_cast<std::int64_t>(kFrameBytesLimit));
    // ROUTER names each connection itself, so a peer cannot take another's name; hence no
    // ROUTER_HANDOVER either: it would let a peer that chose a name steal a session.
    socket.set(zmq::sockopt::router_mandatory, true);
  });
  if (!bound) return tl::unexpected<base::Error>(bound.error());
  return std::make_unique<ZmqServer>(std::move(*bound));
}

}  // namespace bus
