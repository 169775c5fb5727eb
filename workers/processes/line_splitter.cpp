// The start of an unfinished line is held; the rest of an over-long one is counted and thrown away.
#include "workers/processes/line_splitter.hpp"

#include <utility>

namespace processes {

void LineSplitter::feed(ByteView chunk, std::vector<Frame>& out) {
  while (!chunk.empty()) {
    const std::size_t newline = chunk.find('\n');
    const bool is_complete = newline != ByteView::npos;
    ByteView part = chunk.substr(0, newline);
    chunk.remove_prefix(is_complete ? newline + 1 : chunk.size());

    if (!is_discarding_) {
      const ByteView kept = part.substr(0, line_bytes_max_ - held_.size());
      held_ += kept;
      part.remove_prefix(kept.size());
      if (!part.empty()) {
        out.push_back({std::exchange(held_, {}), FrameEnding::too_long});
        is_discarding_ = true;
      } else if (is_complete && !held_.empty()) {
        out.push_back({std::exchange(held_, {}), FrameEnding::whole});
      }
    }
    discarded_bytes_ += static_cast<std::int64_t>(part.size());
    if (is_complete) is_discarding_ = false;
  }
}

void LineSplitter::finish(std::vector<Frame>& out) {
  if (!held_.empty()) out.push_back({std::exchange(held_, {}), FrameEnding::cut_short});
  is_discarding_ = false;
}

}  // namespace processes
