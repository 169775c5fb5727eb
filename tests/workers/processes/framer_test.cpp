// Frames with headers and raw ones: whole, over-long, cut short, malformed, in portions of any
// size.
#include "workers/processes/framer.hpp"

#include "tests/support/catch.hpp"
#include "workers/processes/header_framer.hpp"

namespace processes {
namespace {

using Frames = std::vector<Frame>;

// Returns the frames of the stream, which comes in portions of that size.
Frames frames_of(Framing framing, std::size_t bytes_max, ByteView stream, std::size_t portion) {
  const auto framer = make_framer(framing, bytes_max);
  Frames out;
  for (std::size_t at = 0; at < stream.size(); at += portion) {
    framer->feed(stream.substr(at, portion), out);
  }
  framer->finish(out);
  return out;
}

// The same, and requires that the portions make no difference.
Frames with_headers(ByteView stream, std::size_t bytes_max = 100) {
  const Frames whole = frames_of(Framing::headers, bytes_max, stream, stream.size() + 1);
  for (std::size_t portion = 1; portion <= stream.size(); ++portion) {
    CHECK(frames_of(Framing::headers, bytes_max, stream, portion) == whole);
  }
  return whole;
}

TEST_CASE("a frame with a header is its body", "[workers]") {
  CHECK(with_headers("Content-Length: 2\r\n\r\n{}") == Frames{{"{}", FrameEnding::whole}});
  CHECK(with_headers("Content-Type: text\r\nCONTENT-LENGTH:3 \n\na\nbcontent-length: 1\r\n\r\nc") ==
        Frames{{"a\nb", FrameEnding::whole}, {"c", FrameEnding::whole}});
  CHECK(with_headers("Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\nx") ==
        Frames{{"x", FrameEnding::whole}});
  CHECK(with_headers("").empty());
}

TEST_CASE("an over-long body is cut once, and the next frame is whole", "[workers]") {
  CHECK(with_headers("Content-Length: 9\r\n\r\n123456789Content-Length: 4\r\n\r\nabcd", 4) ==
        Frames{{"1234", FrameEnding::too_long}, {"abcd", FrameEnding::whole}});
  // Its length alone is no reason to wait for it, or to reserve memory.
  CHECK(with_headers("Content-Length: 18446744073709551615\r\n\r\n12345", 4) ==
        Frames{{"1234", FrameEnding::too_long}});
}

TEST_CASE("a stream that ends within a frame shows what there was", "[workers]") {
  CHECK(with_headers("Content-Le") == Frames{{"Content-Le", FrameEnding::cut_short}});
  CHECK(with_headers("Content-Length: 5\r\n\r\n") == Frames{{"", FrameEnding::cut_short}});
  CHECK(with_headers("Content-Length: 5\r\n\r\nab") == Frames{{"ab", FrameEnding::cut_short}});
}

TEST_CASE("behind a header that cannot be read there are no frames", "[workers]") {
  for (const std::string header :
       {"\r\n", "Hello\r\n", ": 5\r\n", "Content-Type: x\r\n\r\n", "Content-Length: x\r\n",
        "Content-Length: -1\r\n", "Content-Length: 1 2\r\n", "Content-Length: \r\n",
        "Content-Length: 18446744073709551616\r\n", "Content-Length: 1\nContent-Length: 1\n"}) {
    CHECK(with_headers(header + "Content-Length: 2\r\n\r\n{}") ==
          Frames{{header, FrameEnding::malformed}});
  }
  const std::string endless(HeaderFramer::kHeaderBytesMax + 1, 'x');
  CHECK(frames_of(Framing::headers, 100, endless, 1000) ==
        Frames{{endless.substr(1), FrameEnding::malformed}});
}

TEST_CASE("raw frames are what comes, in bounded pieces", "[workers]") {
  CHECK(frames_of(Framing::raw, 4, "12345\n", 6) ==
        Frames{{"1234", FrameEnding::whole}, {"5\n", FrameEnding::whole}});
}

}  // namespace
}  // namespace processes
