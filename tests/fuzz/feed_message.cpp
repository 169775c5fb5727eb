// A message of the feed.
#include "bus/feed_message.hpp"

#include "tests/fuzz/values.hpp"

namespace {

using base::Bytes;
using base::ByteView;
using fuzz::require;

Bytes encode(const bus::FeedMessage& message) {
  Bytes events;
  for (const bus::FeedEvent& event : message.events) base::encode_to(events, event);
  return bus::encode_feed_message(message.header, events);
}

void read(ByteView bytes) {
  const auto message = bus::decode_feed_message(bytes);
  if (!message) {
    require(!message.error().text.empty(), "an error says what is wrong");
    return;
  }
  const Bytes encoded = encode(*message);
  const auto again = bus::decode_feed_message(encoded);
  require(again && *again == *message, "decode(encode(decode(x))) is the same message");
  require(encode(*again) == encoded, "one message has one encoding");
}

Bytes build(fuzz::Source& source) {
  fuzz::SourceRandom random(source);
  support::RandomValue values(random, false);
  bus::FeedMessage message;
  values.fill(message.header);
  message.header.previous.value = source.byte() % 2 == 0 ? -1 : 0;
  base::Position position = message.header.first;
  for (int left = source.byte() % 4; left > 0; --left) {
    bus::FeedEvent event;
    event.position = position;
    event.facts.bytes = source.piece();
    if (source.byte() % 2 == 0) event.content = base::Binary{Bytes(source.piece())};
    message.events.push_back(std::move(event));
    message.header.last = position;
    position = position.plus(1 + source.byte());
    if (position.value >= base::kIntegerLimit) break;
  }
  message.header.count = static_cast<std::int64_t>(message.events.size());
  return encode(message);
}

}  // namespace

// The first byte chooses: 0 a message as it comes, 1 a damaged one that the rest describes.
void fuzz::run(ByteView in) {
  Source source(in);
  if (source.byte() % 2 == 0) return read(source.rest());
  Bytes bytes = build(source);
  damage(source, bytes);
  read(bytes);
}
