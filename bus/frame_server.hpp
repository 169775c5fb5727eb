// The server's end of a command or worker endpoint: answers HELLO, refuses who has not said it and
// what cannot be read, and hands on requests and notices of known peers.
#pragma once

#include <optional>
#include <variant>

#include "bus/frames.hpp"
#include "bus/peers.hpp"
#include "bus/ports.hpp"
#include "bus/waiting_frames.hpp"

namespace bus {

struct FromPeer {
  const Peer* peer = nullptr;  // valid until the next receive()
  std::variant<Request, Notice> message;
};

class FrameServer {
 public:
  // After so much one duty cycle looks at no further frame: what was received is decided, committed
  // and answered first, and the other endpoint has its turn.
  static constexpr int kFramesPerCycle = 256;
  static constexpr std::size_t kBytesPerCycle = std::size_t{1} << 20;
  // While more than so many bytes wait, be it many frames or one large one, cycles are short. That
  // costs 9 % of the throughput of 1,024 outstanding commands, which do not fill so many bytes, and
  // others are answered four times as soon.
  static constexpr std::size_t kFloodBytes = std::size_t{4} << 20;
  static constexpr int kFramesPerCycleInFlood = 64;
  // Frames that come off the socket at a time, so that a peer that sends as fast as it can does not
  // keep the server from all else.
  static constexpr int kPulledMax = 16'384;
  // The socket is emptied once in so many looks: finding it empty takes longer than looking at a
  // frame.
  static constexpr int kLooksPerPull = 16;

  // `socket` must outlive the server. `welcome`: what HELLO is answered with; protocol is filled
  // in for each peer. `items_max`: of one frame, as decode_frame has it.
  FrameServer(ServerSocket& socket, Welcome welcome, std::size_t items_max = kItemsUnbounded)
      : socket_(socket), welcome_(std::move(welcome)), items_max_(items_max) {}

  // The next request or notice from a known peer, by turns; none: nothing is there, or the cycle's
  // budget is spent, and the next call begins another cycle. A HELLO changes nothing but the table;
  // peers().count() tells. What a peer has waiting beyond its share (WaitingFrames) is dropped, and
  // it is told `busy`.
  std::optional<FromPeer> receive(base::Duration now);
  // Frames have been taken off the socket and not looked at, so polling it does not tell of them.
  bool has_waiting() const { return !waiting_.is_empty(); }
  // False: the peer is gone or its queue is full. A frame over kFrameBytesMax is not sent; a reply
  // that is, is replaced by an error reply.
  bool reply(const PeerId& peer, const Reply& reply);
  bool notify(const PeerId& peer, const Notice& notice);

  void set_head(base::Position head) { welcome_.head = head; }
  Peers& peers() { return peers_; }

 private:
  std::optional<Incoming> next();
  void end_cycle();
  void pull();
  std::optional<FromPeer> take(const PeerId& id, Frame& frame, base::Duration now);
  bool send(const PeerId& peer, const Frame& frame);
  void greet(const PeerId& id, const Hello& hello, base::Duration now);

  ServerSocket& socket_;
  Welcome welcome_;
  const std::size_t items_max_;
  Peers peers_;
  WaitingFrames waiting_;
  int frames_left_ = kFramesPerCycle;
  std::size_t bytes_left_ = kBytesPerCycle;
};

}  // namespace bus
