// Encodes and decodes events. An event's facts are one msgpack map: the envelope's fields and,
// under "f", the map of the event's own fields. eventlog/README.md has the grammar and a worked
// example.
#pragma once

#include <vector>

#include "eventlog/domain/recorded_event.hpp"

namespace domain {

// Encodes envelope and facts. The type and the schema are taken from the event, not from its
// envelope.
Bytes encode_facts(const RecordedEvent& event);

// Decodes envelope and facts; does not set the position. Errors: invalid, naming the field;
// wrong_log when the type or the schema version is of a later release. A reader must then stop and
// never skip the event.
base::Result<RecordedEvent> decode_facts(base::ByteView bytes);

// As decode_facts, into an event whose memory is reused, for readers of many events. After an error
// the content of the event is unspecified.
base::Result<void> decode_facts_to(RecordedEvent& event, base::ByteView bytes);

// The fields of an event that say whether this release has it. `type` points into the decoded
// bytes.
struct EventKind {
  base::ByteView type;
  std::int64_t schema = 1;

  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("t", &EventKind::type);
    visit("n", &EventKind::schema);
  }
};
// Checks that this release has the event's type and schema. Error wrong_log: as decode_facts. What
// cannot be decoded is left to its reader.
base::Result<void> check_known(base::ByteView bytes);

// Decodes the envelope alone.
base::Result<Envelope> decode_envelope(base::ByteView bytes);

// The fields of an event that an index needs. `stream` points into the decoded bytes.
struct Routing {
  base::ByteView stream;
  StreamVersion version;

  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("s", &Routing::stream);
    visit("v", &Routing::version);
  }
};
base::Result<Routing> decode_routing(base::ByteView bytes);

Bytes encode_content(const Content& content);
base::Result<Content> decode_content(base::ByteView bytes);
// Returns the length in bytes of the content's text, without copying it.
base::Result<std::size_t> content_bytes(base::ByteView bytes);

// Returns the names of all event types, in the order of AllEvents.
std::vector<std::string_view> event_types();

// Returns a default event of that type; none if the type is unknown.
std::optional<Event> make_event(std::string_view type);

}  // namespace domain
