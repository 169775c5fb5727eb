// A message of the feed has two frames: the topic (the level), and a msgpack array of two, the
// header and the array of events. README.md shows the bytes and a subscriber in Python.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/log_identity.hpp"
#include "bus/ports.hpp"
#include "eventlog/base/fields.hpp"
#include "eventlog/base/hash.hpp"
#include "eventlog/base/msgpack_bin.hpp"

namespace bus {

using base::Hash;
using base::Position;
using base::Result;

// The one level that every event belongs to; its positions have no holes.
constexpr std::string_view kAllLevel = "all/";
// The publisher answers a subscription to this and a nonce with the durable head, at that topic.
constexpr std::string_view kProbePrefix = "probe/";
// Content up to this size travels with its event. Larger content is left out and its size given, so
// that a subscriber's queue of messages stays bounded in bytes.
constexpr std::size_t kFeedContentMax = 16 << 10;
// A message is closed at either bound; an event that is larger than that travels alone. With 256
// KiB a subscriber's queue of 1,000 messages is 256 MiB at the very worst.
constexpr std::size_t kFeedEventsMax = 256;
constexpr std::size_t kFeedBytesMax = 256 << 10;
static_assert(kFeedContentMax < kFeedBytesMax && kFeedBytesMax < kFrameBytesMax);
// The value of `previous` when the publisher has forgotten it: the subscriber must ask the log.
constexpr Position kPreviousUnknown{-1};

// events: carries some. beacon: `last` is the level's last position. probe: answers a probe with
// the head. ephemeral: carries chunks that are never stored; their positions are 0.
enum class FeedKind { events, beacon, probe, ephemeral };

struct FeedEvent {
  Position position;  // 0: ephemeral
  base::Binary facts;
  std::optional<base::Binary> content;
  std::int64_t content_bytes = 0;  // size of content that is not carried

  bool operator==(const FeedEvent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &FeedEvent::position);
    visit("facts", &FeedEvent::facts);
    visit("content", &FeedEvent::content);
    visit("content_bytes", &FeedEvent::content_bytes);
  }
};

// BLAKE2b-256 of the event's facts. It identifies the event, since they hold its ids and its time.
Hash digest_of(const FeedEvent& event);

struct FeedHeader {
  base::LogId log;
  LogEpoch epoch;
  base::ServerId incarnation;  // this life of the server
  FeedKind kind = FeedKind::events;
  Position first;  // of the events carried
  Position last;   // of the events carried, or of the level (beacon)
  std::int64_t count = 0;
  Position previous;  // the level's last position before `first`; 0: none; or kPreviousUnknown
  Position head;      // durable end of the log when this was sent

  bool operator==(const FeedHeader&) const = default;
  LogIdentity identity() const { return {log, epoch}; }
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("log", &FeedHeader::log);
    visit("epoch", &FeedHeader::epoch);
    visit("incarnation", &FeedHeader::incarnation);
    visit("kind", &FeedHeader::kind);
    visit("first", &FeedHeader::first);
    visit("last", &FeedHeader::last);
    visit("count", &FeedHeader::count);
    visit("previous", &FeedHeader::previous);
    visit("head", &FeedHeader::head);
  }
};

struct FeedMessage {
  FeedHeader header;
  std::vector<FeedEvent> events;
  bool operator==(const FeedMessage&) const = default;
};

// Encodes a message. `events` holds header.count encoded events (base::encode), one after the
// other.
Bytes encode_feed_message(const FeedHeader& header, ByteView events);
// The same, appended to `out`.
void encode_feed_message(Bytes& out, const FeedHeader& header, ByteView events);
// Decodes any bytes, or returns invalid. It also refuses a count other than that of the events,
// positions that do not ascend, and a first or last that is not that of the events.
Result<FeedMessage> decode_feed_message(ByteView bytes);

}  // namespace bus

template <>
struct base::EnumNames<bus::FeedKind> {
  static constexpr std::string_view kNames[] = {"events", "beacon", "probe", "ephemeral"};
};
