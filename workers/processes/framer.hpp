// Cuts a stream of bytes into frames within bounded memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "eventlog/base/bytes.hpp"
#include "workers/processes/launch_plan.hpp"

namespace processes {

using base::Bytes;
using base::ByteView;

enum class FrameEnding {
  whole,
  too_long,   // cut at `frame_bytes_max`; the rest of it was thrown away
  cut_short,  // the output ended before the frame did
  malformed,  // the stream has no frames behind this; it was thrown away
};

// A part of stdout, as the framing cuts it: any bytes. Only one that was cut short can have none.
struct Frame {
  Bytes bytes;
  FrameEnding ending = FrameEnding::whole;
  bool operator==(const Frame&) const = default;
};

// Chunks of any size give the same frames as the whole stream at once, but for raw framing.
class Framer {
 public:
  virtual ~Framer() = default;

  // Appends the frames that `chunk` completes to `out`. An over-long frame is appended, cut, as
  // soon as it is too long, because its end can be missing for ever.
  virtual void feed(ByteView chunk, std::vector<Frame>& out) = 0;
  // The stream has ended: appends the unfinished last frame, if any.
  virtual void finish(std::vector<Frame>& out) = 0;
};

// A frame of exactly `frame_bytes_max` bytes, which is at least 1, is whole.
std::unique_ptr<Framer> make_framer(Framing framing, std::size_t frame_bytes_max);

}  // namespace processes
