// How many bytes wait in one connection: the thread that sends adds a frame, and whoever lets go of
// the frame, which is ZeroMQ's thread, takes it off. Lives until its owner and the last of its
// frames have gone: frames may outlast the socket, which lingers.
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
  // For as long as there is an owner.
  std::size_t count() const { return static_cast<std::size_t>(left_ - kOwner); }
  std::unique_ptr<Frame> add(base::Bytes bytes) {
    left_ += static_cast<std::int64_t>(bytes.size());
    return std::make_unique<Frame>(Frame{std::move(bytes), *this});
  }
  // Of any thread.
  static void release(std::unique_ptr<Frame> frame) {
    const auto size = static_cast<std::int64_t>(frame->bytes.size());
    frame->queued.subtract(size);
  }

 private:
  // Stands for the owner in `left_`; far beyond what any queue holds.
  static constexpr std::int64_t kOwner = std::int64_t{1} << 62;

  QueuedBytes() = default;
  void subtract(std::int64_t amount) {
    if (left_.fetch_sub(amount) == amount) delete this;
  }

  std::atomic<std::int64_t> left_ = kOwner;
};

}  // namespace bus
