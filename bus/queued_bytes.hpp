// Counts the bytes that wait in one connection. The sending thread adds a frame; ZeroMQ's thread
// takes it off when it lets go of it. The count lives until its owner and its last frame are gone,
// because frames can outlast the socket, which lingers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "eventlog/base/bytes.hpp"

namespace bus {

class QueuedBytes {
 public:
  struct Leave {
    void operator()(QueuedBytes* queued) const { queued->subtract(kOwner); }
  };
  using Owner = std::unique_ptr<QueuedBytes, Leave>;
  static Owner make() { return Owner(new QueuedBytes); }

  // A frame that counts until it is given to release().
  struct Frame {
    base::Bytes bytes;
    QueuedBytes& queued;
  };
  // The bytes that wait now. Valid only while there is an owner.
  std::size_t count() const { return static_cast<std::size_t>(left_ - kOwner); }
  std::unique_ptr<Frame> add(base::Bytes bytes) {
    left_ += static_cast<std::int64_t>(bytes.size());
    return std::make_unique<Frame>(Frame{std::move(bytes), *this});
  }
  // Takes the frame off the count. Any thread can call it.
  static void release(std::unique_ptr<Frame> frame) {
    const auto size = static_cast<std::int64_t>(frame->bytes.size());
    frame->queued.subtract(size);
  }

 private:
  // Stands for the owner in `left_`; far beyond the bytes of any queue.
  static constexpr std::int64_t kOwner = std::int64_t{1} << 62;

  QueuedBytes() = default;
  void subtract(std::int64_t amount) {
    if (left_.fetch_sub(amount) == amount) delete this;
  }

  std::atomic<std::int64_t> left_ = kOwner;
};

}  // namespace bus
