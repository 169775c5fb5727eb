// ClientSocket over DEALER; it takes frames only while a server is connected.
#include <utility>

#include "bus/endpoint.hpp"
#include "bus/zmq_socket.hpp"
#include "bus/zmq_sockets.hpp"

namespace bus {
namespace {

// The linger of a client that is closed. Its unsent frames need no longer: their requests have no
// reply.
constexpr int kClientLingerMs = 200;

std::unique_ptr<ZmqSocket> connected_socket(zmq::context_t& context, const std::string& address) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  set_common_options(socket, static_cast<std::int64_t>(kFrameBytesLimit));
  socket.set(zmq::sockopt::linger, kClientLingerMs);
  // Otherwise messages would be accepted for a server that is not there.
  socket.set(zmq::sockopt::immediate, true);
  set_reconnection(socket);
  socket.connect(address);
  return std::make_unique<ZmqSocket>(std::move(socket));
}

class ZmqClient final : public ClientSocket {
 public:
  ZmqClient(zmq::context_t& context, std::string address)
      : context_(context),
        address_(std::move(address)),
        socket_(connected_socket(context_, address_)) {}

  ZmqSocket* poll_handle() const override { return socket_.get(); }

  bool send(Bytes frame) override { return frame.size() <= kFrameBytesMax && socket_->send(frame); }

  std::optional<Bytes> receive() override {
    zmq::message_t part;
    while (socket_->receive(part)) {
      if (!part.more()) return Bytes(part.to_string_view());
      socket_->drop_rest(part);
    }
    return std::nullopt;
  }

  void reconnect() override {
    try {
      socket_->set(zmq::sockopt::linger, 0);
      socket_ = connected_socket(context_, address_);
    } catch (const zmq::error_t&) {
      // Out of sockets, or closing: the old connection stays, and the next silence tries again.
    }
  }

 private:
  zmq::context_t& context_;
  const std::string address_;
  std::unique_ptr<ZmqSocket> socket_;
};

}  // namespace

base::Result<std::unique_ptr<ClientSocket>> connect_client(Context& context,
                                                           std::string_view endpoint) {
  const auto parsed = parse_endpoint(endpoint);
  if (!parsed) return tl::unexpected<base::Error>(parsed.error());
  try {
    return std::make_unique<ZmqClient>(context.state().context, parsed->address);
  } catch (const zmq::error_t& error) {
    return socket_failure(error, endpoint);
  }
}

}  // namespace bus
