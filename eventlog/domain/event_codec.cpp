// Types are found through a hash table that is built at compile time, and facts are read in place,
// into an event that can be reused. Reading a whole log spends most of its time here.
#include "eventlog/domain/event_codec.hpp"

#include <array>
#include <bit>
#include <limits>

#include "eventlog/domain/all_events.hpp"

namespace domain {
namespace {

constexpr std::int64_t kSchema = 1;  // all types are at their first schema version

// Reads and makes one type of event.
struct TypeEntry {
  std::string_view type;
  Event (*make)();
  // Returns false if a field does not fit; `bad` then names it.
  bool (*read)(base::MsgpackReader& in, RecordedEvent& event, base::detail::BadField& bad);
};

template <class E>
bool read_as(base::MsgpackReader& in, RecordedEvent& event, base::detail::BadField& bad) {
  E* e = event.event.as<E>();
  if (e == nullptr) {
    e = &event.event.emplace<E>();
  } else {
    *e = E{};
  }
  event.extra.clear();
  return base::detail::read(in, *e, &event.extra, &bad);
}

// Nearly all events of a log are of these types. Reading them is inlined whole; for all types that
// would be too much code.
using FrequentEvents = base::Types<OutputRecorded, ToolCallStarted, ToolCallFinished>;

template <class E>
[[gnu::flatten]] bool read_frequent(base::MsgpackReader& in, RecordedEvent& event,
                                    base::detail::BadField& bad) {
  return read_as<E>(in, event, bad);
}

template <class E>
constexpr auto reader_of() {
  if constexpr (base::kContains<E, FrequentEvents>) {
    return read_frequent<E>;
  } else {
    return read_as<E>;
  }
}

// Names of event types nearly always differ in one of these bytes.
constexpr std::size_t hash_of(std::string_view type) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(type[at]); };
  if (type.empty()) return 0;
  return type.size() + 37u * byte(0) + 1009u * byte(type.size() / 2) +
         7919u * byte(type.size() - 1);
}

template <class... E>
constexpr auto list_entries(base::Types<E...>) {
  return std::array{TypeEntry{E::kType, [] { return Event(E{}); }, reader_of<E>()}...};
}
constexpr auto kEntries = list_entries(AllEvents{});

// A hash table: each type is at its hash or in the next free place behind it, as its index in
// kEntries plus one.
constexpr std::size_t kPlaces = std::bit_ceil(2 * kEntries.size());
static_assert(kEntries.size() <= std::numeric_limits<std::uint8_t>::max());
constexpr auto kPlaceOfType = [] {
  std::array<std::uint8_t, kPlaces> places{};
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    std::size_t at = hash_of(kEntries[i].type) % kPlaces;
    while (places[at] != 0) at = (at + 1) % kPlaces;
    places[at] = static_cast<std::uint8_t>(i + 1);
  }
  return places;
}();

const TypeEntry* find_type(std::string_view type) {
  for (std::size_t at = hash_of(type) % kPlaces; kPlaceOfType[at] != 0; at = (at + 1) % kPlaces) {
    const TypeEntry& entry = kEntries[kPlaceOfType[at] - 1];
    if (entry.type == type) return &entry;
  }
  return nullptr;
}

// Also none for a schema of a later release.
const TypeEntry* find_type(std::string_view type, std::int64_t schema) {
  return schema > kSchema ? nullptr : find_type(type);
}

tl::unexpected<base::Error> of_a_later_release(std::string type, std::int64_t schema) {
  return base::failure(base::ErrorCode::wrong_log,
                       "event of a later release: schema " + std::to_string(schema) +
                           "; read this log with the release that wrote it, or a newer one",
                       std::move(type));
}

// The facts of an event that is being read. They follow the type, so they are read in place. If
// another writer put them first, they are read once the type is known.
struct FactsToRead {
  RecordedEvent& event;
  base::ByteView raw;  // as they came, while they wait for the type
  bool are_read = false;
  base::detail::BadField bad;

  bool operator==(const FactsToRead&) const = delete;

  const TypeEntry* type() const {
    const Envelope& envelope = event.envelope;
    return find_type(envelope.type, envelope.schema);
  }
  friend bool read(base::MsgpackReader& in, FactsToRead& facts) {
    const TypeEntry* type = facts.type();
    facts.are_read = type != nullptr;
    return type == nullptr ? in.value(facts.raw) : type->read(in, facts.event, facts.bad);
  }
};

// The stored form of an event, for reading: the envelope's fields, which are read where they stay,
// then the facts.
struct StoredEvent {
  Envelope& envelope;
  FactsToRead facts;

  bool operator==(const StoredEvent&) const = delete;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    Envelope::fields(visit);
    visit("f", &StoredEvent::facts);
  }
  template <class Field>
  friend Field& field_of(StoredEvent& stored, Field Envelope::*member) {
    return stored.envelope.*member;
  }
  template <class Field>
  friend Field& field_of(StoredEvent& stored, Field StoredEvent::*member) {
    return stored.*member;
  }
};

// Empties the envelope, and keeps the memory of its texts.
void clear(Envelope& envelope) {
  Envelope::fields([&](const char*, auto member) {
    auto& field = envelope.*member;
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, std::string>) {
      field.clear();
    } else {
      field = Field{};
    }
  });
  envelope.position = {};
  envelope.schema = kSchema;
}

}  // namespace
}  // namespace domain

template <>
struct base::detail::Accepts<domain::FactsToRead> {
  static std::string text() { return "a map of named fields"; }
};

namespace domain {

std::vector<std::string_view> event_types() {
  std::vector<std::string_view> types;
  types.reserve(kEntries.size());
  for (const TypeEntry& entry : kEntries) types.push_back(entry.type);
  return types;
}

std::optional<Event> make_event(std::string_view type) {
  const TypeEntry* entry = find_type(type);
  if (entry == nullptr) return std::nullopt;
  return entry->make();
}

Bytes encode_facts(const RecordedEvent& event) {
  const std::string_view type = event.event.type();
  if (event.envelope.type != type || event.envelope.schema != kSchema) {
    RecordedEvent labelled = event;
    labelled.envelope.type = type;
    labelled.envelope.schema = kSchema;
    return encode_facts(labelled);
  }
  base::ExtraFields facts(1);  // behind the fields of the envelope
  facts[0].first = "f";
  facts[0].second.reserve(base::kEncodedBytesUsual);
  visit([&](const auto& e) { base::encode_to(facts[0].second, e, event.extra); }, event.event);
  Bytes stored;
  stored.reserve(2 * base::kEncodedBytesUsual);
  base::encode_to(stored, event.envelope, facts);
  return stored;
}

base::Result<void> check_known(base::ByteView bytes) {
  const auto kind = base::decode<EventKind>(bytes);
  if (!kind || find_type(kind->type, kind->schema) != nullptr) return {};
  return of_a_later_release(std::string(kind->type), kind->schema);
}

base::Result<Envelope> decode_envelope(base::ByteView bytes) {
  return base::decode<Envelope>(bytes);
}

base::Result<Routing> decode_routing(base::ByteView bytes) {
  return base::decode<Routing>(bytes);
}

[[gnu::flatten]] base::Result<void> decode_facts_to(RecordedEvent& event, base::ByteView bytes) {
  clear(event.envelope);
  event.content.reset();
  event.extra.clear();
  StoredEvent stored{event.envelope, {event, {}, false, {}}};
  FactsToRead& facts = stored.facts;
  auto ok = base::decode_to(stored, bytes);
  if (ok && !facts.are_read) {
    if (facts.type() == nullptr) {
      return of_a_later_release(event.envelope.type, event.envelope.schema);
    }
    if (facts.raw.empty()) {
      return base::failure(base::ErrorCode::invalid, "event without facts", event.envelope.type);
    }
    base::MsgpackReader reader(facts.raw);
    if (read(reader, facts)) return {};
    ok = tl::unexpected(
        base::Error{base::ErrorCode::invalid, "not a msgpack map of named fields", {}});
  }
  if (ok && event.event.type() != event.envelope.type) {
    return base::failure(base::ErrorCode::invalid, "event of two types", event.envelope.type);
  }
  if (!ok && !facts.bad.name.empty()) {
    ok = base::failure(base::ErrorCode::invalid,
                       "field is of the wrong kind; accepted is " + facts.bad.accepted,
                       event.envelope.type + "." + facts.bad.name);
  }
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

base::Result<std::size_t> content_bytes(base::ByteView bytes) {
  const auto content = base::decode<ContentOf<base::ByteView>>(bytes);
  if (!content) return tl::unexpected(content.error());
  return content->text.size();
}

}  // namespace domain
