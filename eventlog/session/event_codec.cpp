#include "eventlog/session/event_codec.hpp"

#include <unordered_map>

namespace session {
namespace {

constexpr std::int64_t kSchema = 1;  // all types are at their first schema version

// The stored form: envelope fields, then the facts as they are.
struct StoredFacts {
  Envelope envelope;
  base::RawView facts;

  bool operator==(const StoredFacts&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Envelope::fields(self.envelope, visit);
    visit("f", self.facts);
  }
};

using Maker = Event (*)();

template <std::size_t... I>
std::unordered_map<std::string_view, Maker> make_table(std::index_sequence<I...>) {
  return {{std::variant_alternative_t<I, Event>::kType,
           [] { return Event(std::variant_alternative_t<I, Event>{}); }}...};
}

template <std::size_t... I>
std::vector<std::string_view> list_types(std::index_sequence<I...>) {
  return {std::variant_alternative_t<I, Event>::kType...};
}

using Alternatives = std::make_index_sequence<std::variant_size_v<Event>>;

}  // namespace

std::string_view type_name(const Event& event) {
  return std::visit([](const auto& e) { return e.kType; }, event);
}

std::vector<std::string_view> event_types() {
  return list_types(Alternatives{});
}

std::optional<Event> make_event(std::string_view type) {
  static const auto kTable = make_table(Alternatives{});
  const auto found = kTable.find(type);
  if (found == kTable.end()) return std::nullopt;
  return found->second();
}

Bytes encode_facts(const RecordedEvent& event) {
  StoredFacts stored{event.envelope, {}};
  stored.envelope.position = {};
  stored.envelope.type = type_name(event.event);
  stored.envelope.schema = kSchema;
  Bytes facts;
  std::visit([&](const auto& e) { base::encode_to(facts, e, event.extra); }, event.event);
  stored.facts.encoded = facts;
  return base::encode(stored);
}

base::Result<Envelope> decode_envelope(base::ByteView bytes) {
  return base::decode<Envelope>(bytes);
}

base::Result<Routing> decode_routing(base::ByteView bytes) {
  return base::decode<Routing>(bytes);
}

base::Result<RecordedEvent> decode_facts(base::ByteView bytes) {
  StoredFacts stored;
  if (auto ok = base::decode_to(stored, bytes); !ok) return tl::unexpected(std::move(ok.error()));
  const Envelope& envelope = stored.envelope;
  auto made = make_event(envelope.type);
  if (!made || envelope.schema > kSchema) {
    return base::failure(base::ErrorCode::wrong_log,
                         "event of a later release: schema " + std::to_string(envelope.schema) +
                             "; read this log with the release that wrote it, or a newer one",
                         envelope.type);
  }
  if (stored.facts.encoded.empty()) {
    return base::failure(base::ErrorCode::invalid, "event without facts", envelope.type);
  }
  base::Result<RecordedEvent> recorded;
  recorded->event = std::move(*made);
  auto ok = std::visit(
      [&](auto& e) { return base::decode_to(e, stored.facts.encoded, &recorded->extra); },
      recorded->event);
  if (!ok) {
    ok.error().where = envelope.type + "." + ok.error().where;
    return tl::unexpected(std::move(ok.error()));
  }
  recorded->envelope = std::move(stored.envelope);
  return recorded;
}

Bytes encode_content(const Content& content) {
  return base::encode(content);
}

base::Result<Content> decode_content(base::ByteView bytes) {
  return base::decode<Content>(bytes);
}

}  // namespace session
