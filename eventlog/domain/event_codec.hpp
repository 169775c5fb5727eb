// Bytes of events. An event's facts are one msgpack map: the envelope's fields and, under "f", the
// map of the event's own fields. See eventlog/README.md for the grammar and a worked example.
#pragma once

#include <vector>

#include "eventlog/domain/recorded_event.hpp"

namespace domain {

// Envelope and facts. `event.envelope.type` and `.schema` are taken from the event itself.
Bytes encode_facts(const RecordedEvent& event);

// Error `invalid` names the field; error `unsupported` = wrong_log: the type or the schema version
// is of a later release, and whoever reads must stop, never skip. Does not set the position.
base::Result<RecordedEvent> decode_facts(base::ByteView bytes);

// As decode_facts, into an event that may have held another one and whose memory is used again: for
// those who read many. After an error the event holds no matter what.
base::Result<bool> decode_facts_to(RecordedEvent& event, base::ByteView bytes);

// The envelope alone.
base::Result<Envelope> decode_envelope(base::ByteView bytes);

// What an index asks of an event; `stream` points into the bytes that it was decoded from.
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
// The length in bytes of the text in it, which is not copied.
base::Result<std::size_t> content_bytes(base::ByteView bytes);

// Names of all event types, in the order of the variant.
std::vector<std::string_view> event_types();

// A default event of that type; none when the type is unknown.
std::optional<Event> make_event(std::string_view type);

}  // namespace domain
