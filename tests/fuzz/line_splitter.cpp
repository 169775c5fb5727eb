// A stream cut into lines: portions of any size give the same lines as the whole stream at once.
#include "workers/processes/line_splitter.hpp"

#include <algorithm>

#include "tests/fuzz/fuzz.hpp"

namespace {

using base::Bytes;
using base::ByteView;
using fuzz::require;
using Lines = std::vector<processes::Frame>;

}  // namespace

// The input: a byte for the longest line, four for the portions' sizes, then the stream.
void fuzz::run(ByteView in) {
  Source source(in);
  const std::size_t line_bytes_max = 1 + source.byte() % 64u;
  std::array<std::size_t, 4> sizes;
  for (auto& size : sizes) size = 1 + source.byte();
  const ByteView stream = source.rest();

  processes::LineSplitter whole(line_bytes_max);
  Lines at_once;
  whole.feed(stream, at_once);
  whole.finish(at_once);

  processes::LineSplitter parts(line_bytes_max);
  Lines in_parts;
  for (std::size_t at = 0, i = 0; at < stream.size(); at += sizes[i++ % 4]) {
    parts.feed(stream.substr(at, sizes[i % 4]), in_parts);
  }
  parts.finish(in_parts);
  require(at_once == in_parts && whole.discarded_bytes() == parts.discarded_bytes(),
          "parts give the same lines as the whole");

  std::size_t bytes = static_cast<std::size_t>(whole.discarded_bytes());
  for (const processes::Frame& line : at_once) {
    require(line.bytes.size() <= line_bytes_max && !line.bytes.empty(), "lines are bounded");
    require(line.bytes.find('\n') == Bytes::npos, "a line is one line");
    bytes += line.bytes.size();
  }
  require(bytes + static_cast<std::size_t>(std::count(stream.begin(), stream.end(), '\n')) ==
              stream.size(),
          "every byte is in a line, or counted as discarded, or ends a line");
}
