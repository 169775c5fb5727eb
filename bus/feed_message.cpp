// Encoding, and decoding with a check that the header agrees with the events.
#include "bus/feed_message.hpp"

namespace bus {
namespace {

bool are_consistent(const FeedMessage& message) {
  const FeedHeader& header = message.header;
  if (header.count != static_cast<std::int64_t>(message.events.size())) return false;
  if (header.kind == FeedKind::ephemeral) return true;
  if (header.kind != FeedKind::events) return message.events.empty();
  if (message.events.empty() || header.first != message.events.front().position ||
      header.last != message.events.back().position || header.previous >= header.first) {
    return false;
  }
  Position before{0};
  for (const FeedEvent& event : message.events) {
    if (event.position <= before) return false;
    before = event.position;
  }
  return true;
}

}  // namespace

Hash digest_of(const FeedEvent& event) {
  return base::blake2b(event.facts.bytes);
}

void encode_feed_message(Bytes& out, const FeedHeader& header, ByteView events) {
  base::MsgpackWriter writer(out);
  writer.array(2);
  base::encode_to(out, header);
  writer.array(static_cast<std::size_t>(header.count));
  writer.raw(events);
}

Bytes encode_feed_message(const FeedHeader& header, ByteView events) {
  Bytes out;
  encode_feed_message(out, header, events);
  return out;
}

Result<FeedMessage> decode_feed_message(ByteView bytes) {
  base::MsgpackReader reader(bytes);
  FeedMessage message;
  std::size_t items = 0;
  base::detail::BadField bad;
  if (!reader.array(items) || items != 2 ||
      !base::detail::read(reader, message.header, nullptr, &bad) ||
      !base::detail::read(reader, message.events) || !reader.at_end()) {
    return base::failure(base::ErrorCode::invalid,
                         "not a feed message: it must be a msgpack array of header and "
                         "events",
                         bad.name);
  }
  if (!are_consistent(message)) {
    return base::failure(base::ErrorCode::invalid, "header and events of a feed message differ");
  }
  return message;
}

}  // namespace bus
