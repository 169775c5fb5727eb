// Turns pass in a ring of the peers that wait. Each pass adds credit to a peer, and its next frame
// is taken once its credit covers that frame's size.
#include "bus/waiting_frames.hpp"

#include <algorithm>
#include <utility>

namespace bus {

WaitingFrames::Added WaitingFrames::add(Incoming incoming) {
  const auto at = queues_.try_emplace(incoming.peer).first;
  Queue& queue = at->second;
  const std::size_t size = cost(incoming);
  if (!has_room(queue, size)) {
    if (!queue.frames.empty()) {
      return std::exchange(queue.is_overflow_told, true) ? Added::dropped_again : Added::dropped;
    }
    queues_.erase(at);
    return Added::dropped;
  }
  if (queue.frames.empty()) turns_.push_back(at);
  queue.frames.push_back(std::move(incoming));
  queue.bytes += size;
  queue.is_overflow_told = false;
  bytes_ += size;
  return Added::kept;
}

std::optional<Incoming> WaitingFrames::take() {
  if (turns_.empty()) return std::nullopt;
  pass_turns();
  const auto at = turns_.front();
  turns_.pop_front();
  Queue& queue = at->second;
  Incoming incoming = std::move(queue.frames.front());
  queue.frames.pop_front();
  const std::size_t size = cost(incoming);
  queue.bytes -= size;
  bytes_ -= size;
  if (queue.frames.empty()) {
    queues_.erase(at);
  } else {
    turns_.push_back(at);
  }
  return incoming;
}

// Moves on to the peer whose credit covers its first frame.
void WaitingFrames::pass_turns() {
  while (turns_.size() > 1) {
    Queue& queue = turns_.front()->second;
    const std::size_t work = std::max(queue.frames.front().bytes().size(), kTurnBytes);
    queue.credit += kTurnBytes;
    if (queue.credit >= work) {
      queue.credit -= work;
      return;
    }
    turns_.push_back(turns_.front());
    turns_.pop_front();
  }
}

std::size_t WaitingFrames::cost(const Incoming& incoming) {
  return incoming.bytes().size() + kFrameOverhead;
}

bool WaitingFrames::has_room(const Queue& queue, std::size_t cost) const {
  if (queue.frames.empty() && cost <= kSmallFrameBytesMax) return true;
  return queue.bytes + cost <= kPeerWaitingBytesMax && bytes_ + cost <= kWaitingBytesMax;
}

}  // namespace bus
