// Frames that a server has received and not looked at yet: a queue for each peer, bounded in bytes.
// Peers take turns in proportion to the work that they make, so a flood from one peer, of many
// frames or of large ones, delays no other. (Deficit round robin: Shreedhar and Varghese, 1995.)
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "bus/ports.hpp"

namespace bus {

// The most that waits of one peer: two of the largest frames.
constexpr std::size_t kPeerWaitingBytesMax = 2 * kFrameBytesMax;
// The most that waits of all peers together. Beyond it a peer has at most one small frame waiting.
constexpr std::size_t kWaitingBytesMax = std::size_t{512} << 20;
constexpr std::size_t kSmallFrameBytesMax = std::size_t{64} << 10;
static_assert(kPeerWaitingBytesMax < kWaitingBytesMax);
// The bytes that a peer can have looked at in a turn of its own. A frame up to this size takes one
// turn. For a larger frame its peer passes turns in proportion, unless nobody else waits.
constexpr std::size_t kTurnBytes = std::size_t{4} << 10;

class WaitingFrames {
 public:
  // The cost of keeping a frame, counted beside its bytes, so that many tiny frames are bounded
  // like one large one.
  static constexpr std::size_t kFrameOverhead = 256;

  enum class Added {
    kept,
    dropped,        // no room; the peer must be told
    dropped_again,  // no room, and the peer was told since its last frame that was kept
  };
  Added add(Incoming incoming);
  // Returns the next frame of the peer whose turn it is; none: nothing waits.
  std::optional<Incoming> take();

  bool is_empty() const { return turns_.empty(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Queue {
    std::deque<Incoming> frames;  // empty only while a frame is added or taken
    std::size_t bytes = 0;
    std::size_t credit = 0;  // bytes of the turns that it passed
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
