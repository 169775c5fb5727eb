// PublisherSocket over XPUB, which shows every subscription, and SubscriberSocket over SUB.
#include <utility>

#include "bus/endpoint.hpp"
#include "bus/zmq_socket.hpp"
#include "bus/zmq_sockets.hpp"

namespace bus {
namespace {

class ZmqPublisher final : public PublisherSocket {
 public:
  explicit ZmqPublisher(BoundSocket bound)
      : listener_(std::move(bound.listener)), socket_(std::move(bound.socket)) {}

  ZmqSocket* poll_handle() const override { return socket_.get(); }
  base::Result<bool> stay_reachable() override { return bind_anew(*socket_, listener_); }

  void publish(std::string_view level, ByteView frame) override {
    if (level.size() > kTopicBytesMax || frame.size() > kFrameBytesMax) return;
    if (socket_->send(level, true)) socket_->send(frame);
  }

  std::optional<SubscriptionChange> receive() override {
    zmq::message_t part;
    while (socket_->receive(part)) {
      socket_->drop_rest(part);
      const ByteView bytes = part.to_string_view();
      if (bytes.empty() || static_cast<unsigned char>(bytes[0]) > 1) continue;
      return SubscriptionChange{bytes[0] == 1, std::string(bytes.substr(1))};
    }
    return std::nullopt;
  }

 private:
  IpcListener listener_;  // freed after the socket
  const std::unique_ptr<ZmqSocket> socket_;
};

class ZmqSubscriber final : public SubscriberSocket {
 public:
  explicit ZmqSubscriber(zmq::socket_t socket)
      : socket_(std::make_unique<ZmqSocket>(std::move(socket))) {}

  ZmqSocket* poll_handle() const override { return socket_.get(); }

  bool subscribe(std::string_view topic) override {
    if (topic.size() > kTopicBytesMax) return false;
    try {
      socket_->set(zmq::sockopt::subscribe, topic);
      return true;
    } catch (const zmq::error_t&) {
      return false;
    }
  }

  void unsubscribe(std::string_view topic) override {
    try {
      socket_->set(zmq::sockopt::unsubscribe, topic);
    } catch (const zmq::error_t&) {
      // The context is closing.
    }
  }

  std::optional<FeedFrame> receive() override {
    zmq::message_t topic;
    zmq::message_t frame;
    while (socket_->receive(topic)) {
      if (!topic.more() || !socket_->receive(frame)) continue;
      if (!frame.more()) return FeedFrame{topic.to_string(), frame.to_string()};
      socket_->drop_rest(frame);
    }
    return std::nullopt;
  }

 private:
  const std::unique_ptr<ZmqSocket> socket_;
};

}  // namespace

base::Result<std::unique_ptr<PublisherSocket>> bind_publisher(Context& context,
                                                              std::string_view endpoint) {
  auto bound = bind_socket(context, endpoint, zmq::socket_type::xpub, [](zmq::socket_t& socket) {
    set_common_options(socket, kSubscriptionBytesMax);
    // Every probe must be seen, also one that another subscriber asked before. XPUB_NODROP stays
    // off: with it one slow subscriber would hold up all others.
    socket.set(zmq::sockopt::xpub_verbose, true);
  });
  if (!bound) return tl::unexpected<base::Error>(bound.error());
  return std::make_unique<ZmqPublisher>(std::move(*bound));
}

base::Result<std::unique_ptr<SubscriberSocket>> connect_subscriber(Context& context,
                                                                   std::string_view endpoint) {
  const auto parsed = parse_endpoint(endpoint);
  if (!parsed) return tl::unexpected<base::Error>(parsed.error());
  try {
    zmq::socket_t socket(context.state().context, zmq::socket_type::sub);
    set_common_options(socket, static_cast<std::int64_t>(kFrameBytesLimit));
    // A follower can be slow for hours. The publisher is ours, and sends no heartbeats.
    socket.set(zmq::sockopt::rcvhwm, kQueueMessagesMax);
    set_reconnection(socket);
    socket.connect(parsed->address);
    return std::make_unique<ZmqSubscriber>(std::move(socket));
  } catch (const zmq::error_t& error) {
    return socket_failure(error, endpoint);
  }
}

}  // namespace bus
