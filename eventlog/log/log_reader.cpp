// Decodes blocks into events, and proves each content against its digest. Content can be erased or
// trimmed while it is read: that is told from damage by looking again.
#include "eventlog/log/log_reader.hpp"

#include <algorithm>

#include "eventlog/base/blake2b_lanes.hpp"
#include "eventlog/domain/event_codec.hpp"

namespace eventlog {
namespace {

using domain::RecordedEvent;

Result<Bytes> join_chunks(BlockStore& store, const domain::Envelope& envelope, std::int64_t count) {
  Bytes joined;
  for (std::int64_t i = 0; i < count; ++i) {
    auto chunk = store.read_chunk(
        chunk_key(envelope.stream, envelope.content->digest, static_cast<std::uint32_t>(i)));
    if (!chunk) return tl::unexpected(chunk.error());
    joined.append(*chunk);
  }
  return joined;
}

// True if an entry that was just read is gone by now. Its chunks are removed after the entry.
bool was_erased_meanwhile(BlockStore& store, Position first, const StoredContentView& entry) {
  const auto blocks = store.read(first, 1, true);
  if (!blocks || blocks->empty()) return false;
  if (blocks->front().content.empty()) return true;
  const auto now = base::decode<ContentBlockView>(blocks->front().content);
  return now &&
         std::none_of(now->entries.begin(), now->entries.end(),
                      [&](const StoredContentView& one) { return one.index == entry.index; });
}

// Returns the encoded content that matches its event's digest, as a view into the entry or, if it
// is in chunks, into `joined`; none when it was erased. `digest` is that of the bytes in the entry
// if the caller has it; else null.
Result<std::optional<ByteView>> prove_content(BlockStore& store, const domain::Envelope& envelope,
                                              const StoredContentView& stored, Bytes& joined,
                                              const Hash* digest) {
  if (!envelope.content) {
    return base::failure(base::ErrorCode::damaged, "content of an event that has none");
  }
  ByteView bytes = stored.content.bytes;
  if (bytes.empty() && stored.chunks == 0) return std::nullopt;
  if (stored.chunks > 0) {
    auto chunks = join_chunks(store, envelope, stored.chunks);
    if (!chunks) return tl::unexpected(chunks.error());
    bytes = joined = std::move(*chunks);
    digest = nullptr;
  }
  const Hash found = digest != nullptr ? *digest : base::blake2b(bytes, stored.salt);
  if (found != envelope.content->digest) {
    return base::failure(base::ErrorCode::damaged, "content does not match its digest");
  }
  return bytes;
}

// As open_content, for an entry that can be erased while it is read.
Result<std::optional<domain::Content>> open_entry(BlockStore& store, Position first,
                                                  const domain::Envelope& envelope,
                                                  const StoredContentView& entry) {
  auto opened = open_content(store, envelope, entry);
  if (!opened && entry.chunks > 0 && was_erased_meanwhile(store, first, entry)) {
    return std::optional<domain::Content>();
  }
  if (!opened) return tl::unexpected(at_position(opened.error(), envelope.position));
  return opened;
}

// Returns the entries of a block's content, which point into its bytes.
Result<ContentBlockView> entries_of(const StoredBlock& stored, Position first) {
  if (stored.content.empty()) return ContentBlockView{};
  auto decoded = base::decode<ContentBlockView>(stored.content);
  if (!decoded) return tl::unexpected(at_position(decoded.error(), first));
  return std::move(*decoded);
}

// Adds the events of one block that lie within [from, through].
Result<void> read_block(BlockStore& store, const StoredBlock& stored, Position from,
                        Position through, std::vector<RecordedEvent>& events) {
  const auto block = parse_block(stored.facts);
  if (!block) return tl::unexpected(block.error());
  const auto content = entries_of(stored, block->header.first);
  if (!content) return tl::unexpected(content.error());
  auto next_content = content->entries.begin();
  for (std::size_t i = 0; i < block->events.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const Position position = block->header.first.plus(index);
    while (next_content != content->entries.end() && next_content->index < index) ++next_content;
    if (position < from) continue;
    if (position > through) break;
    auto event = domain::decode_facts(block->events[i]);
    if (!event) return tl::unexpected(at_position(event.error(), position));
    event->envelope.position = position;
    if (next_content != content->entries.end() && next_content->index == index) {
      auto opened = open_entry(store, block->header.first, event->envelope, *next_content);
      if (!opened) return tl::unexpected(opened.error());
      event->content = std::move(*opened);
    }
    events.push_back(std::move(*event));
  }
  return {};
}

Result<std::vector<RecordedEvent>> read_once(BlockStore& store, Position from, Position through,
                                             const ReadOptions& options) {
  std::vector<RecordedEvent> events;
  if (from > through) return events;
  auto blocks = store.read(from, options.bytes_max, options.with_content);
  if (!blocks) return tl::unexpected(at_position(blocks.error(), from));
  for (const StoredBlock& block : *blocks) {
    if (auto ok = read_block(store, block, from, through, events); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  return events;
}

}  // namespace

base::Error at_position(base::Error error, Position position) {
  error.where = "position " + std::to_string(position.value) +
                (error.where.empty() ? "" : ", " + error.where);
  return error;
}

Result<std::optional<domain::Content>> open_content(BlockStore& store,
                                                    const domain::Envelope& envelope,
                                                    const StoredContentView& stored) {
  Bytes joined;
  const auto proved = prove_content(store, envelope, stored, joined, nullptr);
  if (!proved) return tl::unexpected(proved.error());
  if (!*proved) return std::nullopt;
  auto content = domain::decode_content(**proved);
  if (!content) return tl::unexpected(content.error());
  return std::optional(std::move(*content));
}

Result<std::optional<std::size_t>> check_content(BlockStore& store,
                                                 const domain::Envelope& envelope,
                                                 const StoredContentView& stored,
                                                 const Hash& digest) {
  Bytes joined;
  const auto proved = prove_content(store, envelope, stored, joined, &digest);
  if (!proved) return tl::unexpected(proved.error());
  if (!*proved) return std::nullopt;
  const auto bytes = domain::content_bytes(**proved);
  if (!bytes) return tl::unexpected(bytes.error());
  return std::optional(*bytes);
}

Result<std::vector<RecordedEvent>> read_events(BlockStore& store, Position from, Position through,
                                               const ReadOptions& options) {
  for (;;) {
    const Position begin = store.first();
    auto events = read_once(store, from, through, options);
    // Blocks that were trimmed meanwhile can lack their chunks: read the remaining ones again.
    if (!options.with_content || store.first() == begin) return events;
  }
}

Result<BlockEvents> read_block_of(BlockStore& store, Position from,
                                  const std::function<bool(ByteView stream)>& wants_stream) {
  const auto blocks = store.read(from, 1, false);
  if (!blocks) return tl::unexpected(at_position(blocks.error(), from));
  if (blocks->empty()) return BlockEvents{};
  const auto block = parse_block(blocks->front().facts);
  if (!block) return tl::unexpected(block.error());
  BlockEvents found{block->header.first, block->header.last(), {}};
  for (std::size_t i = 0; i < block->events.size(); ++i) {
    const Position position = found.first.plus(static_cast<std::int64_t>(i));
    const auto routing = domain::decode_routing(block->events[i]);
    if (!routing) return tl::unexpected(at_position(routing.error(), position));
    if (position < from || !wants_stream(routing->stream)) continue;
    auto event = domain::decode_facts(block->events[i]);
    if (!event) return tl::unexpected(at_position(event.error(), position));
    event->envelope.position = position;
    found.events.push_back(std::move(*event));
  }
  return found;
}

Result<void> add_contents(BlockStore& store, Position first, std::span<RecordedEvent> events,
                          std::int64_t text_bytes_max) {
  const auto is_wanted = [&](const RecordedEvent& event) {
    return event.envelope.content && event.envelope.content->bytes <= text_bytes_max;
  };
  if (std::none_of(events.begin(), events.end(), is_wanted)) return {};
  const auto blocks = store.read(first, 1, true);
  if (!blocks) return tl::unexpected(at_position(blocks.error(), first));
  if (blocks->empty() || store.first() > first) return {};
  const auto content = entries_of(blocks->front(), first);
  if (!content) return tl::unexpected(content.error());
  auto next = content->entries.begin();
  for (RecordedEvent& event : events) {
    const std::int64_t index = event.envelope.position.value - first.value;
    while (next != content->entries.end() && next->index < index) ++next;
    if (next == content->entries.end()) break;
    if (next->index != index || !is_wanted(event)) continue;
    auto opened = open_entry(store, first, event.envelope, *next);
    // A block that was trimmed meanwhile can lack its chunks.
    if (!opened && store.first() > first) return {};
    if (!opened) return tl::unexpected(opened.error());
    event.content = std::move(*opened);
  }
  return {};
}

std::vector<Hash> hashes_of(std::span<const StoredBlock> blocks) {
  std::vector<base::HashInput> facts;
  facts.reserve(blocks.size());
  for (const StoredBlock& block : blocks) facts.push_back({block.facts});
  std::vector<Hash> hashes;
  base::blake2b_each(facts, hashes);
  return hashes;
}

Result<std::optional<domain::Content>> read_content(BlockStore& store, Position position) {
  auto events = read_events(store, position, position, {1, true});
  if (!events) return tl::unexpected(events.error());
  if (events->empty()) {
    return base::failure(base::ErrorCode::not_found, "there is no event",
                         "position " + std::to_string(position.value));
  }
  return std::move(events->front().content);
}

}  // namespace eventlog
