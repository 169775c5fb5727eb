// One frame of the command and worker endpoints.
#include "bus/frames.hpp"

#include "tests/fuzz/values.hpp"

namespace {

using base::Bytes;
using base::ByteView;
using fuzz::require;

void read(ByteView bytes) {
  const auto frame = bus::decode_frame(bytes);
  if (!frame) {
    require(!frame.error().text.empty(), "an error says what is wrong");
    return;
  }
  const Bytes encoded = bus::encode_frame(*frame);
  const auto again = bus::decode_frame(encoded);
  require(again && *again == *frame, "decode(encode(decode(x))) is the same frame");
  require(bus::encode_frame(*again) == encoded, "one frame has one encoding");
  if (const auto* hello = std::get_if<bus::Hello>(&*frame)) {
    require(hello->features.size() <= bus::kFeaturesMax, "a peer's features are few");
    const auto protocol = bus::choose_protocol(*hello);
    require(
        !protocol || (*protocol >= hello->protocol_lowest && *protocol <= hello->protocol_highest),
        "the protocol is one that the peer speaks");
  }
}

template <class Body>
bus::Frame build(fuzz::Source& source) {
  Bytes ignored;
  return fuzz::make_value<Body>(source, ignored);
}

Bytes build_any(fuzz::Source& source) {
  switch (source.byte() % 5) {
    case 0:
      return bus::encode_frame(build<bus::Hello>(source));
    case 1:
      return bus::encode_frame(build<bus::Welcome>(source));
    case 2:
      return bus::encode_frame(build<bus::Request>(source));
    case 3:
      return bus::encode_frame(build<bus::Reply>(source));
    default:
      return bus::encode_frame(build<bus::Notice>(source));
  }
}

}  // namespace

// The first byte chooses: 0 a frame as it comes, 1 a damaged one that the rest describes.
void fuzz::run(ByteView in) {
  Source source(in);
  if (source.byte() % 2 == 0) return read(source.rest());
  Bytes bytes = build_any(source);
  damage(source, bytes);
  read(bytes);
}
