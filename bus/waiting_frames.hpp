// What a server has received and not looked at yet: a queue for each peer, bounded in bytes. Peers
// take turns in proportion to the work that they make, so one that floods, be it with many frames
// or with large ones, delays no other. (Deficit round robin: Shreedhar and Varghese, 1995.)
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "bus/ports.hpp"

namespace bus {

// What may wait of one peer: two of the largest frames.
constexpr std::size_t kPeerWaitingBytesMax = 2 * kFrameBytesMax;
// What may wait of all peers together. Beyond it a peer has one small frame waiting at most.
constexpr std::size_t kWaitingBytesMax = std::size_t{512} << 20;
constexpr std::size_t kSmallFrameBytesMax = std::size_t{64} << 10;
static_assert(kPeerWaitingBytesMax < kWaitingBytesMax);
// Bytes that a peer may have looked at in a turn of its own. A frame of up to so many is a turn's
// work; for a larger one its peer passes as many turns, unless nobody else waits.
constexpr std::size_t kTurnBytes = std::size_t{4} << 10;

class WaitingFrames {
 public:
  // Counted for each frame beside its bytes: what keeping it takes. So many tiny frames are bounded
  // like one large one.
  static constexpr std::size_t kFrameOverhead = 256;

  enum class Added {
    kept,
    dropped,        // no room; the peer is to be told
    dropped_again,  // and it has been told, since the last frame of its that was kept
  };
  Added add(Incoming incoming);
  // The next frame of the peer whose turn it is; none: nothing waits.
  std::optional<Incoming> take();

  bool is_empty() const { return turns_.empty(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Queue {
    std::deque<Incoming> frames;  // never empty, but while one is added or taken
    std::size_t bytes = 0;
    std::size_t credit = 0;  // bytes of turns that it passed
    bool is_overflow_told = false;
  };
  using Queues = std::map<PeerId, Queue>;

  static std::size_t cost(const Incoming& incoming);
  void pass_turns();
  bool has_room(const Queue& queue, std::size_t cost) const;

  Queues queues_;
  std::deque<Queues::iterator> turns_;  // each peer that has a frame waiting, once
  std::size_t bytes_ = 0;
};

}  // namespace bus
