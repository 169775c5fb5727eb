// The server's end of a command or worker endpoint: answers HELLO, refuses who has not said it and
// what cannot be read, and hands on requests and notices of known peers.
#pragma once

#include <optional>
#include <variant>

#include "bus/frames.hpp"
#include "bus/peers.hpp"
#include "bus/ports.hpp"

namespace bus {

struct FromPeer {
  Peer peer;
  std::variant<Request, Notice> message;
};

class FrameServer {
 public:
  // Frames that the server itself answers in one receive() before it returns.
  static constexpr int kOwnFramesMax = 256;

  // `socket` must outlive the server. `welcome`: what HELLO is answered with; protocol is filled
  // in for each peer.
  FrameServer(ServerSocket& socket, Welcome welcome)
      : socket_(socket), welcome_(std::move(welcome)) {}

  // The next request or notice from a known peer; none: nothing is there. A HELLO changes nothing
  // but the table; peers().count() tells.
  std::optional<FromPeer> receive(base::Duration now);
  // False: the peer is gone or its queue is full. A frame over kFrameBytesMax is not sent; a reply
  // that is, is replaced by an error reply.
  bool reply(const PeerId& peer, const Reply& reply);
  bool notify(const PeerId& peer, const Notice& notice);

  void set_head(base::Position head) { welcome_.head = head; }
  Peers& peers() { return peers_; }

 private:
  bool send(const PeerId& peer, const Frame& frame);
  void greet(const PeerId& id, const Hello& hello, base::Duration now);

  ServerSocket& socket_;
  Welcome welcome_;
  Peers peers_;
};

}  // namespace bus
