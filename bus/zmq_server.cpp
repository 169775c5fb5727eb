// ServerSocket over ROUTER, with a bound on the bytes that wait for each peer.
#include <map>
#include <utility>

#include "bus/queued_bytes.hpp"
#include "bus/zmq_socket.hpp"
#include "bus/zmq_sockets.hpp"

namespace bus {
namespace {

// A PeerId is one byte, then the routing id. A REQ socket puts an empty part before the frame and
// wants one back; the byte says so.
constexpr char kPlain = 0;
constexpr char kDelimited = 1;

// Smaller frames are not counted: their number is bounded, so they are a few MiB at most.
constexpr std::size_t kCountedBytesMin = 4096;
// When the bytes are counted for this many peers, those with empty queues are forgotten.
constexpr std::size_t kCountedPeersMax = 4096;

// Larger frames stay in the message that they came in, so that dropping one costs no copy.
constexpr std::size_t kCopiedBytesMax = 4096;

class HeldMessage final : public HeldFrame {
 public:
  explicit HeldMessage(zmq::message_t message) : message_(std::move(message)) {}
  ByteView view() const override { return {message_.data<char>(), message_.size()}; }

 private:
  zmq::message_t message_;
};

void release_frame(void*, void* frame) {
  QueuedBytes::release(
      std::unique_ptr<QueuedBytes::Frame>(static_cast<QueuedBytes::Frame*>(frame)));
}

class ZmqServer final : public ServerSocket {
 public:
  ZmqServer(BoundSocket bound, std::size_t queue_bytes_max)
      : listener_(std::move(bound.listener)),
        socket_(std::move(bound.socket)),
        queue_bytes_max_(queue_bytes_max) {}

  ZmqSocket* poll_handle() const override { return socket_.get(); }
  base::Result<bool> stay_reachable() override { return bind_anew(*socket_, listener_); }

  std::optional<Incoming> receive() override {
    zmq::message_t part;
    while (socket_->receive(part)) {
      if (auto incoming = receive_rest(part)) return incoming;
    }
    return std::nullopt;
  }

  bool send(const PeerId& peer, Bytes frame) override {
    if (peer.size() < 2 || frame.size() > kFrameBytesMax) return false;
    const bool is_counted = frame.size() >= kCountedBytesMin;
    if (is_counted && queued_to(peer).count() + frame.size() > queue_bytes_max_) return false;
    // ROUTER takes or refuses a message with its first part, without waiting.
    if (!socket_->send(ByteView(peer).substr(1), true)) return false;
    if (peer[0] == kDelimited && !socket_->send(ByteView(), true)) return false;
    if (!is_counted) return socket_->send(frame);
    return send_counted(queued_to(peer).add(std::move(frame)));
  }

 private:
  // The frame is not copied: ZeroMQ's release of it shows that it waits no more.
  bool send_counted(std::unique_ptr<QueuedBytes::Frame> frame) {
    Bytes& bytes = frame->bytes;
    zmq::message_t message(bytes.data(), bytes.size(), release_frame, frame.get());
    static_cast<void>(frame.release());  // the message has it
    return socket_->send(message);
  }

  QueuedBytes& queued_to(const PeerId& peer) {
    const auto found = queued_.find(peer);
    if (found != queued_.end()) return *found->second;
    if (queued_.size() >= kCountedPeersMax) {
      std::erase_if(queued_, [](const auto& entry) { return entry.second->count() == 0; });
    }
    return *queued_.emplace(peer, QueuedBytes::make()).first->second;
  }

  // Returns none, with the parts dropped, if it is not a message of ours.
  std::optional<Incoming> receive_rest(const zmq::message_t& routing) {
    if (!routing.more()) return std::nullopt;
    Incoming incoming{PeerId(1, kPlain), {}};
    incoming.peer.append(routing.to_string_view());
    zmq::message_t part;
    if (!socket_->receive(part)) return std::nullopt;
    if (part.more() && part.size() == 0) {
      incoming.peer[0] = kDelimited;
      if (!socket_->receive(part)) return std::nullopt;
    }
    if (part.more()) {
      socket_->drop_rest(part);
      return std::nullopt;
    }
    if (part.size() <= kCopiedBytesMax) {
      incoming.frame.assign(part.to_string_view());
    } else {
      incoming.held = std::make_unique<HeldMessage>(std::move(part));
    }
    return incoming;
  }

  IpcListener listener_;  // freed after the socket
  const std::unique_ptr<ZmqSocket> socket_;
  const std::size_t queue_bytes_max_;
  std::map<PeerId, QueuedBytes::Owner>
      queued_;  // to each peer that was sent a counted frame lately
};

}  // namespace

base::Result<std::unique_ptr<ServerSocket>> bind_server(Context& context, std::string_view endpoint,
                                                        std::size_t queue_bytes_max) {
  auto bound = bind_socket(context, endpoint, zmq::socket_type::router, [](zmq::socket_t& socket) {
    set_common_options(socket, static_cast<std::int64_t>(kFrameBytesLimit));
    // ROUTER names each connection itself, so that a peer cannot take another's name.
    // ROUTER_HANDOVER is off for the same reason: with it a peer that chose a name could steal a
    // session.
    socket.set(zmq::sockopt::router_mandatory, true);
  });
  if (!bound) return tl::unexpected<base::Error>(bound.error());
  return std::make_unique<ZmqServer>(std::move(*bound), queue_bytes_max);
}

}  // namespace bus
