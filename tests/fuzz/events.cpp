// An event's facts, its envelope alone, and its content.
#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/event_codec.hpp"

#include "tests/fuzz/values.hpp"

namespace {

using base::Bytes;
using base::ByteView;
using fuzz::require;

void read_facts(ByteView bytes) {
  const auto event = domain::decode_facts(bytes);
  const auto envelope = domain::decode_envelope(bytes);
  require(fuzz::read_again<domain::Envelope>(bytes).has_value() == envelope.has_value(),
          "an envelope is a struct of its fields");
  const base::Result<domain::Routing> routing = domain::decode_routing(bytes);
  require(!envelope || (routing && routing->stream == envelope->stream &&
                        routing->version == envelope->version),
          "an event is routed by what its envelope says");
  const auto kind = base::decode<domain::EventKind>(bytes);
  require(!event || (kind && kind->type == event->event.type() && domain::check_known(bytes)),
          "an event that is read is one that this release has");
  domain::RecordedEvent used;
  const bool is_read = domain::decode_facts_to(used, bytes).has_value();
  require(is_read == event.has_value() && (!is_read || used == *event),
          "an event that is used again reads the same");
  if (!event) {
    require(!event.error().text.empty(), "an error says what is wrong");
    return;
  }
  require(envelope && *envelope == event->envelope, "the envelope alone is that of the event");
  require(event->envelope.type == event->event.type(), "the type is the event's");
  const Bytes encoded = domain::encode_facts(*event);
  auto again = domain::decode_facts(encoded);
  require(again.has_value(), "facts that were read can be written and read again");
  // An event of an older schema is written as the newest one; only the number differs.
  again->envelope.schema = event->envelope.schema;
  require(*again == *event, "decode(encode(decode(x))) is the same event");
  require(domain::encode_facts(*again) == encoded, "one event has one encoding");
}

Bytes build_facts(fuzz::Source& source) {
  const auto types = domain::event_types();
  domain::RecordedEvent event;
  event.event = *domain::make_event(types[source.byte() % types.size()]);
  fuzz::SourceRandom random(source);
  support::RandomValue values(random, false);
  values.fill(event.envelope);
  domain::visit([&](auto& e) { values.fill(e); }, event.event);
  return domain::encode_facts(event);
}

void read_content(ByteView bytes) {
  const auto content = domain::decode_content(bytes);
  const auto read = fuzz::read_again<domain::Content>(bytes);
  require(content.has_value() == read.has_value() && (!content || *content == *read),
          "content is a struct of its fields");
}

}  // namespace

// The first byte chooses: 0 facts as they come, 1 damaged facts of an event that the rest
// describes, 2 content.
void fuzz::run(ByteView in) {
  Source source(in);
  switch (source.byte() % 3) {
    case 0:
      return read_facts(source.rest());
    case 1: {
      Bytes facts = build_facts(source);
      require(domain::decode_facts(facts).has_value(), "what is encoded can be decoded");
      damage(source, facts);
      return read_facts(facts);
    }
    default:
      return read_content(source.rest());
  }
}
