#include "eventlog/session/event_codec.hpp"

#include <unordered_map>

namespace session {
namespace {

constexpr std::int64_t kSchema = 1;  // all types are at their first schema version

// The stored form: envelope fields, then the facts as they are. Read into an Envelope&.
template <class AnyEnvelope>
struct StoredFacts {
  AnyEnvelope envelope;
  base::RawView facts;

  bool operator==(const StoredFacts&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Envelope::fields(self.envelope, visit);
    visit("f", self.facts);
  }
};

// What is known of one type of event.
struct TypeEntry {
  Event (*make)();
  base::Result<bool> (*decode)(RecordedEvent& event, base::ByteView facts);
};

template <class E>
base::Result<bool> decode_as(RecordedEvent& event, base::ByteView facts) {
  E* e = std::get_if<E>(&event.event);
  if (e == nullptr) {
    e = &event.event.template emplace<E>();
  } else {
    *e = E{};
  }
  return base::decode_to(*e, facts, &event.extra);
}

template <std::size_t... I>
std::unordered_map<std::string_view, TypeEntry> make_table(std::index_sequence<I...>) {
  return {{std::variant_alternative_t<I, Event>::kType,
           TypeEntry{[] { return Event(std::variant_alternative_t<I, Event>{}); },
                     decode_as<std::variant_alternative_t<I, Event>>}}...};
}

template <std::size_t... I>
std::vector<std::string_view> list_types(std::index_sequence<I...>) {
  return {std::variant_alternative_t<I, Event>::kType...};
}

using Alternatives = std::make_index_sequence<std::variant_size_v<Event>>;

const TypeEntry* find_type(std::string_view type) {
  static const auto kTable = make_table(Alternatives{});
  const auto found = kTable.find(type);
  return found == kTable.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view type_name(const Event& event) {
  return std::visit([](const auto& e) { return e.kType; }, event);
}

std::vector<std::string_view> event_types() {
  return list_types(Alternatives{});
}

std::optional<Event> make_event(std::string_view type) {
  const TypeEntry* entry = find_type(type);
  if (entry == nullptr) return std::nullopt;
  return entry->make();
}

Bytes encode_facts(const RecordedEvent& event) {
  StoredFacts<Envelope> stored{event.envelope, {}};
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

base::Result<bool> decode_facts_to(RecordedEvent& event, base::ByteView bytes) {
  Envelope& envelope = event.envelope;
  envelope = Envelope{};
  event.content.reset();
  event.extra.clear();
  StoredFacts<Envelope&> stored{envelope, {}};
  if (auto ok = base::decode_to(stored, bytes); !ok) return ok;
  const TypeEntry* type = find_type(envelope.type);
  if (type == nullptr || envelope.schema > kSchema) {
    return base::failure(base::ErrorCode::wrong_log,
                         "event of a later release: schema " + std::to_string(envelope.schema) +
                             "; read this log with the release that wrote it, or a newer one",
                         envelope.type);
  }
  if (stored.facts.encoded.empty()) {
    return base::failure(base::ErrorCode::invalid, "event without facts", envelope.type);
  }
  auto ok = type->decode(event, stored.facts.encoded);
  if (!ok) ok.error().where = envelope.type + "." + ok.error().where;
  return ok;
}

base::Result<RecordedEvent> decode_facts(base::ByteView bytes) {
  base::Result<RecordedEvent> event;
  if (auto ok = decode_facts_to(*event, bytes); !ok) return tl::unexpected(std::move(ok.error()));
  return event;
}

Bytes encode_content(const Content& content) {
  return base::encode(content);
}

base::Result<Content> decode_content(base::ByteView bytes) {
  return base::decode<Content>(bytes);
}

}  // namespace session
