// Cuts a stream of bytes into lines within bounded memory.
#pragma once

#include <cstdint>
#include <vector>

#include "workers/engines/process/agent_process.hpp"

namespace engines {

class LineSplitter {
 public:
  // A line of exactly `line_bytes_max` bytes, newline not counted, is whole.
  explicit LineSplitter(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  // Appends the lines that `chunk` completes to `out`. An over-long line is appended, cut, as soon
  // as it is too long, because its newline can be missing for ever.
  void feed(ByteView chunk, std::vector<Line>& out);
  // The stream has ended: appends the unfinished last line, if any.
  void finish(std::vector<Line>& out);

  std::int64_t discarded_bytes() const { return discarded_bytes_; }

 private:
  const std::size_t line_bytes_max_;
  Bytes held_;  // the start of the line that is not complete yet
  bool is_discarding_ = false;
  std::int64_t discarded_bytes_ = 0;
};

}  // namespace engines
