// Frames with headers, of a stream in portions of any size and of one that is built from frames.
#include "workers/processes/framer.hpp"

#include <algorithm>

#include "tests/fuzz/fuzz.hpp"
#include "workers/processes/header_framer.hpp"

namespace {

using base::Bytes;
using base::ByteView;
using fuzz::require;
using processes::Frame;
using processes::FrameEnding;
using processes::Framing;
using Frames = std::vector<Frame>;

Frames frames_of(Framing framing, std::size_t bytes_max, ByteView stream, std::size_t portion) {
  const auto framer = processes::make_framer(framing, bytes_max);
  Frames out;
  for (std::size_t at = 0; at < stream.size(); at += portion) {
    framer->feed(stream.substr(at, portion), out);
  }
  framer->finish(out);
  return out;
}

}  // namespace

// The input: a byte for the longest frame, one for the portions, one that chooses, then the stream.
// Chosen are 0 the bytes as frames with headers, 1 as raw ones, 2 as the bodies of frames, one for
// each line.
void fuzz::run(ByteView in) {
  Source source(in);
  const std::size_t bytes_max = 1 + source.byte();
  const std::size_t portion = 1 + source.byte() % 64u;
  const std::uint8_t how = source.byte() % 3;
  ByteView rest = source.rest();
  if (how == 1) {
    Bytes joined;
    for (const Frame& frame : frames_of(Framing::raw, bytes_max, rest, portion)) {
      require(frame.ending == FrameEnding::whole, "a raw frame is whole");
      joined += frame.bytes;
    }
    require(joined == rest, "raw frames are the stream");
    return;
  }
  Bytes stream(rest);
  Frames expected;
  if (how == 2) {
    stream.clear();
    while (!rest.empty()) {
      const ByteView body = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(body.size() + 1, rest.size()));
      stream += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + Bytes(body);
      const bool is_whole = body.size() <= bytes_max;
      const auto ending = is_whole ? FrameEnding::whole : FrameEnding::too_long;
      if (!body.empty()) expected.push_back({Bytes(body.substr(0, bytes_max)), ending});
    }
  }
  const Frames at_once = frames_of(Framing::headers, bytes_max, stream, stream.size() + 1);
  require(at_once == frames_of(Framing::headers, bytes_max, stream, portion),
          "parts give the same frames as the whole");
  require(how != 2 || at_once == expected, "each body is a frame");
  for (const Frame& frame : at_once) {
    const bool may_be_empty = frame.ending == processes::FrameEnding::cut_short;
    require(may_be_empty || !frame.bytes.empty(), "a frame has bytes");
    const bool is_body =
        frame.ending == FrameEnding::whole || frame.ending == FrameEnding::too_long;
    require(!is_body || frame.bytes.size() <= bytes_max, "bodies are bounded");
  }
}
