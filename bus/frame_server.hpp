// The server's end of a command or worker endpoint. It answers HELLO, refuses peers that have not
// said it and frames that cannot be read, and hands on requests and notices of known peers.
#pragma once

#include <optional>
#include <variant>

#include "bus/frames.hpp"
#include "bus/peers.hpp"
#include "bus/ports.hpp"
#include "bus/waiting_frames.hpp"
#include "eventlog/base/one_thread.hpp"

namespace bus {

struct FromPeer {
  const Peer* peer = nullptr;  // valid until the next receive()
  std::variant<Request, Notice> message;
};

class FrameServer {
 public:
  // The budget of one duty cycle. Beyond it, received frames are first decided, committed and
  // answered, and the other endpoint has its turn.
  static constexpr int kFramesPerCycle = 256;
  static constexpr std::size_t kBytesPerCycle = std::size_t{1} << 20;
  // While more bytes than this wait, in many frames or in one large one, cycles are short: others
  // are answered four times as soon. That costs 9 % of the throughput of 1,024 outstanding
  // commands, which do not fill that much.
  static constexpr std::size_t kFloodBytes = std::size_t{4} << 20;
  static constexpr int kFramesPerCycleInFlood = 64;
  // Frames that come off the socket at a time, so that a peer that sends as fast as it can does not
  // keep the server from its other work.
  static constexpr int kPulledMax = 16'384;
  // The socket is emptied once in so many looks: finding it empty takes longer than looking at a
  // frame.
  static constexpr int kLooksPerPull = 16;

  // `socket` must outlive the server. `welcome` is the answer to HELLO; its protocol is filled in
  // for each peer. `items_max` bounds each frame, as in decode_frame.
  FrameServer(ServerSocket& socket, Welcome welcome, std::size_t items_max = kItemsUnbounded)
      : socket_(socket), welcome_(std::move(welcome)), items_max_(items_max) {}

  // Returns the next request or notice from a known peer; peers take turns. None: nothing is there,
  // or the cycle's budget is spent and the next call begins another cycle. A HELLO changes the
  // table of peers only; peers().count() tells. Frames of a peer beyond its share (WaitingFrames)
  // are dropped, and it is told `busy`.
  std::optional<FromPeer> receive(base::Duration now);
  // True if frames were taken off the socket and not looked at yet; polling it does not show them.
  bool has_waiting() const { return !waiting_.is_empty(); }
  // Returns false when the peer is gone or its queue is full. A frame over kFrameBytesMax is not
  // sent; a reply over it is replaced by an error reply.
  bool reply(const PeerId& peer, const Reply& reply);
  bool notify(const PeerId& peer, const Notice& notice);

  void set_head(base::Position head) { welcome_.head = head; }
  Peers& peers() { return peers_; }
  const Peers& peers() const { return peers_; }

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
  base::OneThread thread_;
};

}  // namespace bus
