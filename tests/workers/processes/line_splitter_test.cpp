// Lines do not depend on how the stream is cut, and discarded bytes are counted.
#include "workers/processes/line_splitter.hpp"

#include "tests/support/catch.hpp"

namespace {

using processes::Frame;
using processes::FrameEnding;
using processes::LineSplitter;

std::vector<Frame> split(const std::vector<std::string>& chunks, std::size_t line_bytes_max) {
  LineSplitter splitter(line_bytes_max);
  std::vector<Frame> lines;
  for (const auto& chunk : chunks) splitter.feed(chunk, lines);
  splitter.finish(lines);
  return lines;
}

TEST_CASE("lines are the same wherever the chunks are cut", "[workers]") {
  const std::string text = "one\n\ntwo\nthree is too long\nfour\nlast";
  const std::vector<Frame> expected = {{"one", FrameEnding::whole},
                                       {"two", FrameEnding::whole},
                                       {"three", FrameEnding::too_long},
                                       {"four", FrameEnding::whole},
                                       {"last", FrameEnding::cut_short}};
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      const auto lines = split(
          {text.substr(0, first), text.substr(first, second - first), text.substr(second)}, 5);
      REQUIRE(lines == expected);
    }
  }
}

TEST_CASE("a line of just the largest size is whole", "[workers]") {
  CHECK(split({"12345\n"}, 5) == std::vector<Frame>{{"12345", FrameEnding::whole}});
  CHECK(split({"12345"}, 5) == std::vector<Frame>{{"12345", FrameEnding::cut_short}});
  CHECK(split({"123456"}, 5) == std::vector<Frame>{{"12345", FrameEnding::too_long}});
}

TEST_CASE("what is thrown away is counted", "[workers]") {
  LineSplitter splitter(4);
  std::vector<Frame> lines;
  splitter.feed("12345678", lines);
  splitter.feed("90\nab", lines);
  splitter.feed("cdef\n", lines);
  CHECK(splitter.discarded_bytes() == 6 + 2);
  CHECK(lines.size() == 2);
}

}  // namespace
