// Frames that are lines, without their line feeds; empty ones are left out.
#pragma once

#include "workers/processes/framer.hpp"

namespace processes {

class LineSplitter final : public Framer {
 public:
  explicit LineSplitter(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  void feed(ByteView chunk, std::vector<Frame>& out) override;
  void finish(std::vector<Frame>& out) override;
  // Returns how many bytes were thrown away so far.
  std::int64_t discarded_bytes() const { return discarded_bytes_; }

 private:
  const std::size_t line_bytes_max_;
  Bytes held_;  // the start of the line that is not complete yet
  bool is_discarding_ = false;
  std::int64_t discarded_bytes_ = 0;
};

}  // namespace processes
