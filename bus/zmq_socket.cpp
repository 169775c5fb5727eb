// libzmq takes in what came for a socket, and clears its descriptor, when it is asked to receive
// and finds nothing, when it is asked for events, and now and then when it sends.
#include "bus/zmq_socket.hpp"

#include <poll.h>

#include <utility>

namespace bus {
namespace {

constexpr int kLingerMs = 1000;
constexpr int kReconnectMs = 20;
constexpr int kReconnectMaxMs = 500;
constexpr int kHandshakeMs = 5000;
constexpr int kUnbounded = 0;

}  // namespace

void set_common_options(zmq::socket_t& socket, std::int64_t message_bytes_max) {
  socket.set(zmq::sockopt::linger, kLingerMs);
  socket.set(zmq::sockopt::sndhwm, kQueueMessagesMax);
  // A receive queue that can be full is where libzmq 4.3.4 aborts (README.md, Peers that die).
  socket.set(zmq::sockopt::rcvhwm, kUnbounded);
  socket.set(zmq::sockopt::maxmsgsize, message_bytes_max);
  socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
}

base::Result<BoundSocket> bind_socket(Context& context, std::string_view endpoint,
                                      zmq::socket_type type,
                                      void (*set_options)(zmq::socket_t& socket)) {
  const auto parsed = parse_endpoint(endpoint);
  if (!parsed) return tl::unexpected<base::Error>(parsed.error());
  auto listener = IpcListener::listen(*parsed);
  if (!listener) return tl::unexpected<base::Error>(listener.error());
  try {
    zmq::socket_t socket(context.state().context, type);
    set_options(socket);
    socket.set(zmq::sockopt::use_fd, listener->take_fd());
    socket.bind(parsed->address);
    return BoundSocket{std::move(*listener), std::make_unique<ZmqSocket>(std::move(socket))};
  } catch (const zmq::error_t& error) {
    return socket_failure(error, endpoint);
  }
}

base::Result<bool> bind_anew(ZmqSocket& socket, IpcListener& listener) {
  if (listener.is_reachable()) return false;
  const auto parsed = parse_endpoint("ipc://" + listener.path());
  if (!parsed) return tl::unexpected<base::Error>(parsed.error());
  auto next = listener.listen_anew();
  if (!next) return tl::unexpected<base::Error>(next.error());
  try {
    // libzmq goes on with the old descriptor, too, since its connections belong to it.
    socket.set(zmq::sockopt::use_fd, next->take_fd());
    socket.bind(parsed->address);
  } catch (const zmq::error_t& error) {
    return socket_failure(error, parsed->path);
  }
  listener = std::move(*next);
  return true;
}

void set_reconnection(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::reconnect_ivl, kReconnectMs);
  socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectMaxMs);
}

tl::unexpected<base::Error> socket_failure(const zmq::error_t& error, std::string_view where) {
  return base::failure(base::ErrorCode::io, std::string("socket: ") + error.what(),
                       std::string(where));
}

ZmqSocket::ZmqSocket(zmq::socket_t socket)
    : socket_(std::move(socket)), fd_(static_cast<int>(socket_.get(zmq::sockopt::fd))) {}

bool ZmqSocket::receive(zmq::message_t& part) {
  if (is_known_empty_ && !is_signalled()) return false;
  is_known_empty_ = false;
  try {
    const bool is_there = socket_.recv(part, zmq::recv_flags::dontwait).has_value();
    is_known_empty_ = !is_there;
    return is_there;
  } catch (const zmq::error_t&) {
    return false;  // interrupted, or the context is closing: nothing is there
  }
}

bool ZmqSocket::is_signalled() const {
  pollfd look{fd_, POLLIN, 0};
  return ::poll(&look, 1, 0) != 0;
}

void ZmqSocket::drop_rest(const zmq::message_t& last) {
  bool has_more = last.more();
  while (has_more) {
    zmq::message_t part;
    if (!receive(part)) return;
    has_more = part.more();
  }
}

bool ZmqSocket::send(ByteView part, bool has_more) {
  const auto flags =
      has_more ? zmq::send_flags::dontwait | zmq::send_flags::sndmore : zmq::send_flags::dontwait;
  is_known_empty_ = false;
  try {
    return socket_.send(zmq::const_buffer(part.data(), part.size()), flags).has_value();
  } catch (const zmq::error_t&) {
    return false;  // EHOSTUNREACH of a ROUTER, or the context is closing
  }
}

bool ZmqSocket::send(zmq::message_t& message) {
  is_known_empty_ = false;
  try {
    return socket_.send(message, zmq::send_flags::dontwait).has_value();
  } catch (const zmq::error_t&) {
    return false;
  }
}

int ZmqSocket::events() {
  is_known_empty_ = false;
  const int events = socket_.get(zmq::sockopt::events);
  is_known_empty_ = (events & ZMQ_POLLIN) == 0;
  return events;
}

}  // namespace bus
