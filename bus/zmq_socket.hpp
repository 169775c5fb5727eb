// Options and calls that the ZeroMQ sockets share. Only sources in bus/ include it: no other folder
// sees zmq.hpp.
#pragma once

#include <memory>

#include <zmq.hpp>

#include "bus/context.hpp"
#include "bus/endpoint.hpp"
#include "bus/ports.hpp"
#include "eventlog/base/result.hpp"

namespace bus {

struct Context::State {
  zmq::context_t context{1};  // one I/O thread carries hundreds of thousands of messages a second
};

// Messages that wait to be sent to one peer, and in a subscriber those that wait to be read. In a
// feed they are at most 256 MiB.
constexpr int kQueueMessagesMax = 1000;
// A subscriber sends topics only.
constexpr std::int64_t kSubscriptionBytesMax = 1024;

// Sets the options of every socket: finite linger, a bounded queue to each peer, a bound of the
// size of a peer's message, bounded handshakes. The receive queue is unbounded here and there are
// no heartbeats: either could let a peer's death end this process.
void set_common_options(zmq::socket_t& socket, std::int64_t message_bytes_max);

// A ZeroMQ socket that remembers whether libzmq found nothing to receive. It then looks at its
// descriptor (ZMQ_FD of zmq_getsockopt(3)) before it asks libzmq again, which takes two system
// calls each time. The descriptor tells of what came since libzmq last looked, and libzmq may look
// in every call. So all calls are made here.
class ZmqSocket {
 public:
  explicit ZmqSocket(zmq::socket_t socket);

  // Receives one part without waiting. Returns false if nothing is there.
  bool receive(zmq::message_t& part);
  // Reads and drops the other parts of a message.
  void drop_rest(const zmq::message_t& last);

  // Sends one part without waiting. Returns false if the queue is full or the peer is not there.
  bool send(ByteView part, bool has_more = false);
  // The same for a last part that is a message already.
  bool send(zmq::message_t& message);

  // Sets an option. Throws zmq::error_t.
  template <class Option, class Value>
  void set(Option option, const Value& value) {
    is_known_empty_ = false;
    socket_.set(option, value);
  }

  // Binds it to one more address. Throws zmq::error_t.
  void bind(const std::string& address) { socket_.bind(address); }

  // For the poller.
  int fd() const { return fd_; }  // readable when libzmq must be asked again
  bool is_known_empty() const { return is_known_empty_; }
  // Asks libzmq: ZMQ_POLLIN, ZMQ_POLLOUT or both. Throws zmq::error_t.
  int events();
  // The descriptor was readable.
  void note_signal() { is_known_empty_ = false; }

 private:
  bool is_signalled() const;

  zmq::socket_t socket_;
  int fd_;
  bool is_known_empty_ = false;  // libzmq has nothing to receive, unless fd_ is readable
};

// A socket of which this process is the server, and the lock that keeps others from being it.
struct BoundSocket {
  IpcListener listener;  // freed after the socket
  std::unique_ptr<ZmqSocket> socket;
};

// Binds a socket of this type, with the common options and those that `set_options` sets. Errors:
// those of parse_endpoint and IpcListener::listen; io.
base::Result<BoundSocket> bind_socket(Context& context, std::string_view endpoint,
                                      zmq::socket_type type,
                                      void (*set_options)(zmq::socket_t& socket));

// Binds the socket anew if its listener's name in the file system is gone: see BoundEndpoint.
base::Result<bool> bind_anew(ZmqSocket& socket, IpcListener& listener);

// Sets how soon a connection that ended is made again: at first after 20 ms, later twice a second.
void set_reconnection(zmq::socket_t& socket);

// Makes the error of a call that threw.
tl::unexpected<base::Error> socket_failure(const zmq::error_t& error, std::string_view where);

}  // namespace bus
