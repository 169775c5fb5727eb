// Each framing has a class of its own; raw frames are the chunks themselves.
#include "workers/processes/framer.hpp"

#include "workers/processes/header_framer.hpp"
#include "workers/processes/line_splitter.hpp"

namespace processes {
namespace {

class RawFramer final : public Framer {
 public:
  explicit RawFramer(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  void feed(ByteView chunk, std::vector<Frame>& out) override {
    for (; !chunk.empty(); chunk.remove_prefix(out.back().bytes.size())) {
      out.push_back({Bytes(chunk.substr(0, frame_bytes_max_)), FrameEnding::whole});
    }
  }
  void finish(std::vector<Frame>&) override {}

 private:
  const std::size_t frame_bytes_max_;
};

}  // namespace

std::unique_ptr<Framer> make_framer(Framing framing, std::size_t frame_bytes_max) {
  switch (framing) {
    case Framing::lines:
      return std::make_unique<LineSplitter>(frame_bytes_max);
    case Framing::headers:
      return std::make_unique<HeaderFramer>(frame_bytes_max);
    case Framing::raw:
      break;
  }
  return std::make_unique<RawFramer>(frame_bytes_max);
}

}  // namespace processes
