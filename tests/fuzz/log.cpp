// A whole log as it lies in the store. The chain and the checksums of its blocks hold, but events,
// contents and chunks are whatever the input says. Every reader of a log reads it.
#include "eventlog/domain/all_events.hpp"
#include "eventlog/log/log_reader.hpp"

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/log/stream_loader.hpp"
#include "eventlog/proof/verify.hpp"
#include "eventlog/store/memory_store.hpp"
#include "projections/fold/block_continuity.hpp"
#include "projections/projections.hpp"
#include "tests/fuzz/values.hpp"

namespace {

using base::Bytes;
using base::ByteView;
using base::Position;
using fuzz::require;
using fuzz::Source;

constexpr int kBlocksMax = 4;
constexpr int kEventsMax = 8;

// Returns one of a few streams, so that several events share a stream.
std::string stream_of(std::uint8_t choice) {
  base::SessionId id;
  id.bytes[15] = static_cast<char>(choice >> 4 & 1);
  switch (choice & 7) {
    case 0:
      return domain::registry_stream("main");
    case 1:
      return std::string(domain::kAdmissionStream);
    case 2:
      return std::string(domain::kServerStream);
    case 3:
      return "no stream";
    case 4:
      return std::string(domain::kOutboxStream);
    case 5:
      return std::string(domain::kSchedulesStream);
    case 6:
      return std::string(domain::kRulesStream);
    default:
      return domain::session_stream("main", id);
  }
}

// Draws ids from a few, so that events refer to the same turns, tokens and sessions.
void narrow(domain::RecordedEvent& event) {
  domain::visit(
      [](auto& e) {
        std::remove_cvref_t<decltype(e)>::fields([&](const char*, auto member) {
          auto& field = e.*member;
          using Field = std::remove_cvref_t<decltype(field)>;
          if constexpr (requires {
                          field.bytes[15];
                          field.is_set();
                        }) {
            const char small = static_cast<char>(field.bytes[0] & 1);
            field = {};
            field.bytes[15] = small;
          } else if constexpr (std::is_same_v<Field, base::FencingToken>) {
            field.value &= 3;
          }
        });
      },
      event.event);
}

struct Build {
  Source& source;
  eventlog::BlockHeader header;
  std::int64_t versions[32] = {};

  void add_event(eventlog::BlockBuilder& builder) {
    const std::uint8_t kind = source.byte();
    if (kind < 32) return builder.add(source.piece());
    const auto types = domain::event_types();
    domain::RecordedEvent event;
    event.event = *domain::make_event(types[source.byte() % types.size()]);
    fuzz::SourceRandom random(source);
    support::RandomValue values(random, false);
    if (kind < 64) values.fill(event.envelope);
    domain::visit([&](auto& e) { values.fill(e); }, event.event);
    narrow(event);
    event.envelope.stream = stream_of(kind);
    event.envelope.version = {++versions[kind & 31]};
    event.envelope.log_time = header.time;
    event.envelope.token.value = kind >> 5 & 3;
    add_content(builder, event, source.byte());
  }

  void add_content(eventlog::BlockBuilder& builder, domain::RecordedEvent& event,
                   std::uint8_t how) {
    const ByteView text = how < 64 ? ByteView{} : source.piece();
    const Bytes content = how < 96 ? Bytes(text) : domain::encode_content({Bytes(text)});
    const base::Salt salt{'s'};
    event.envelope.content.reset();
    if (how >= 64) {
      event.envelope.content = domain::ContentProof{base::blake2b(content, salt),
                                                    static_cast<std::int64_t>(text.size())};
    }
    Bytes facts = domain::encode_facts(event);
    if (how % 4 == 3) fuzz::damage(source, facts);
    builder.add(facts);
    if (how >= 64 && how < 192) builder.add_content(salt, content);
    if (how < 192) return;
    std::vector<eventlog::Chunk> chunks;
    const std::size_t half = content.size() / 2;
    for (std::uint32_t i = 0; i < 2; ++i) {
      chunks.push_back({eventlog::chunk_key(event.envelope.stream, event.envelope.content->digest,
                                            how % 2 == 0 ? i : 0),
                        i == 0 ? content.substr(0, half) : content.substr(half)});
    }
    builder.add_chunks(salt, std::move(chunks));
  }

  bool add_block(eventlog::BlockStore& store) {
    eventlog::BlockBuilder builder;
    const std::uint8_t how = source.byte();
    for (int left = how % kEventsMax; left >= 0; --left) add_event(builder);
    if (how >= 224) header.epoch.counter += 1;
    if (how >= 240) header.writer_term -= 1;
    header.time.us += how;
    eventlog::SealedBlock sealed = builder.seal(header);
    if (how >= 192 && how < 200) sealed.content = source.piece();
    if (how >= 200 && how < 208) fuzz::damage(source, sealed.facts);
    header.previous = sealed.hash;
    header.first = sealed.header.last().next();
    return store.append(sealed).status == eventlog::AppendStatus::stored;
  }
};

void project(eventlog::BlockStore& store, bool is_whole) {
  const auto rows = eventlog::make_memory_key_value_store();
  auto set = projections::ProjectionSet::open(*rows);
  require(set.has_value(), "projections open on an empty store");
  const auto folded = set->catch_up(store, store.tail(), 1000);
  if (is_whole) require(folded && set->reached(store.tail()), "a whole log can be projected");
}

void load_streams(eventlog::BlockStore& store) {
  const auto rows = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index(*rows);
  if (!index.catch_up(store, store.tail())) return;
  eventlog::SnapshotStore snapshots(*rows);
  for (const unsigned stream : {0u, 1u, 2u, 4u, 20u}) {
    const std::string name = stream_of(static_cast<std::uint8_t>(stream));
    const auto loaded = eventlog::load_stream(store, index, snapshots, name);
    if (!loaded) continue;
    require(snapshots.save(name, *loaded).has_value(), "what was folded can be stored");
    const auto again = snapshots.load(name);
    require(again && *again && (*again)->state == loaded->state, "and is the same then");
  }
}

}  // namespace

void fuzz::run(ByteView in) {
  Source source(in);
  eventlog::MemoryStore store;
  Build build{source, {}};
  build.header.log.bytes[0] = 'L';
  build.header.epoch.counter = 1;
  build.header.writer_term = 1;
  build.header.first = {1};
  build.header.time.us = 1'700'000'000'000'000;
  for (int blocks = 0; blocks < kBlocksMax && !source.is_empty(); ++blocks) {
    if (!build.add_block(store)) break;
  }
  const auto report = eventlog::verify_log(store, std::nullopt, {});
  const auto events = eventlog::read_events(store, {1}, store.tail(), {1 << 20, true});
  const bool is_whole = report.problems.empty();
  if (is_whole) {
    require(events && static_cast<std::int64_t>(events->size()) == report.events,
            "a whole log can be read");
  }
  if (const auto content = eventlog::read_content(store, {1}); events && !events->empty()) {
    require(content && *content == events->front().content, "one event is read as all are");
  }
  project(store, is_whole);
  load_streams(store);
}
