// The four sockets that Steno uses, as ports. zmq_sockets.hpp makes the real ones, memory_bus.hpp
// those of simulation and tests. None of the calls blocks; a socket belongs to the thread that made
// it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/result.hpp"

namespace bus {

using base::Bytes;
using base::ByteView;

// The largest frame that can be sent: a prompt (64 MiB at most), its files (20 MiB), a system
// prompt (4 MiB) and their envelope.
// Beyond kFrameBytesLimit a receiver drops the connection without telling the sender. Hence the
// check before sending, and the distance between the two.
constexpr std::size_t kFrameBytesMax = std::size_t{96} << 20;
constexpr std::size_t kFrameBytesLimit = std::size_t{104} << 20;
static_assert(kFrameBytesMax < kFrameBytesLimit);

// libzmq 4.3.4 mis-encodes subscriptions of 246 to 255 bytes (its issue 4564).
constexpr std::size_t kTopicBytesMax = 245;

// Names one connection of one peer to one life of a server. Opaque; a peer that connects again has
// another one.
using PeerId = Bytes;

class ZmqSocket;  // of zmq_socket.hpp

// An object that poller.hpp can wait for.
class Pollable {
 public:
  virtual ~Pollable() = default;
  // The poller waits with it. It is null for a socket in memory, and changes with reconnect().
  virtual ZmqSocket* poll_handle() const = 0;
};

// A socket that others connect to by a name in the file system, which can be removed under it.
class BoundEndpoint : public Pollable {
 public:
  // Looks whether new peers can still find the socket, and binds it anew if not; those that are
  // connected stay. Returns true if it was bound anew. Errors: those of binding; it can be tried
  // again.
  virtual base::Result<bool> stay_reachable() { return false; }
};

// The bytes of a large frame, in the transport's own memory.
class HeldFrame {
 public:
  virtual ~HeldFrame() = default;
  virtual ByteView view() const = 0;
};

struct Incoming {
  PeerId peer;
  Bytes frame;                        // unused where `held` is set
  std::unique_ptr<HeldFrame> held{};  // a large frame, which need not be copied

  ByteView bytes() const { return held ? held->view() : ByteView(frame); }
};

// Receives from many peers and can answer each (ROUTER).
class ServerSocket : public BoundEndpoint {
 public:
  virtual std::optional<Incoming> receive() = 0;
  // Returns false, with nothing sent, when the peer is gone, its queue is full (in messages or
  // bytes), or the frame is over kFrameBytesMax.
  virtual bool send(const PeerId& peer, Bytes frame) = 0;
};

// Talks to one server, over a connection that is made again by itself (DEALER).
class ClientSocket : public Pollable {
 public:
  // Returns false, with nothing sent, when not connected, the queue is full, or the frame is over
  // kFrameBytesMax.
  virtual bool send(Bytes frame) = 0;
  virtual std::optional<Bytes> receive() = 0;
  // Drops the connection with all that is queued in it and begins a fresh one. A client does so
  // when a request is not answered (the Lazy Pirate of the ZeroMQ guide, chapter 4).
  virtual void reconnect() = 0;
};

struct SubscriptionChange {
  bool is_subscribe = true;
  std::string topic;
  bool operator==(const SubscriptionChange&) const = default;
};

// Sends to all subscribers (XPUB). A subscriber whose queue is full misses the message, and nobody
// is told: the log is the truth, the feed a hint.
class PublisherSocket : public BoundEndpoint {
 public:
  // Sends a message; `level` has at most kTopicBytesMax bytes, `frame` at most kFrameBytesMax, else
  // it is not sent.
  virtual void publish(std::string_view level, ByteView frame) = 0;
  // Returns every subscription that arrives, repeated ones too, and each topic that lost its last
  // subscriber. The latter can be missing if that subscriber's connection was lost.
  virtual std::optional<SubscriptionChange> receive() = 0;
};

struct FeedFrame {
  std::string topic;
  Bytes frame;
  bool operator==(const FeedFrame&) const = default;
};

// Receives messages published under a topic that begins with a subscribed one (SUB).
class SubscriberSocket : public Pollable {
 public:
  // Takes effect at the publisher some time later. Returns false, and does not subscribe, if
  // `topic` has more than kTopicBytesMax bytes or the socket refuses.
  virtual bool subscribe(std::string_view topic) = 0;
  virtual void unsubscribe(std::string_view topic) = 0;
  virtual std::optional<FeedFrame> receive() = 0;
};

}  // namespace bus
