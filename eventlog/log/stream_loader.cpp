// Loads a stream from its snapshot and the blocks that the index names behind it. Every event must
// be of the stream and the next version: a wrong index is damage, never a wrong state.
#include "eventlog/log/stream_loader.hpp"

#include "eventlog/base/rare_branches.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/log/log_reader.hpp"

namespace eventlog {
namespace {

base::Error not_there(Position position) {
  return {base::ErrorCode::rows_damaged, "the stream index names an event that is not there",
          "position " + std::to_string(position.value)};
}

// Folds the stream's events in the block; other events are not decoded.
Result<void> fold_block(const StoredBlock& stored, const IndexedBlock& indexed,
                        const std::string& stream, LoadedStream& loaded) {
  const auto block = parse_block(stored.facts);
  if (!block) return tl::unexpected(block.error());
  domain::RecordedEvent event;
  const domain::Envelope& envelope = event.envelope;
  for (const std::uint32_t index : indexed.events) {
    const Position position = indexed.first.plus(index);
    if (block->header.first != indexed.first || index >= block->events.size()) {
      return tl::unexpected(not_there(position));
    }
    const auto decoded = domain::decode_facts_to(event, block->events[index]);
    if (!decoded) return tl::unexpected(at_position(decoded.error(), position));
    if (envelope.stream != stream) {
      return base::failure(base::ErrorCode::rows_damaged,
                           "the stream index names an event of another stream",
                           "position " + std::to_string(position.value));
    }
    if (envelope.version <= loaded.version) continue;
    if (envelope.version != loaded.version.next()) {
      return base::failure(base::ErrorCode::damaged,
                           "version " + std::to_string(loaded.version.next().value) + " is missing",
                           stream);
    }
    event.envelope.position = position;
    domain::evolve(loaded.state, envelope, event.event);
    loaded.version = envelope.version;
    loaded.last = position;
  }
  return {};
}

Result<LoadedStream> load(BlockStore& store, StreamIndex& index, SnapshotStore& snapshots,
                          const std::string& stream) {
  auto empty = domain::initial_state(stream);
  if (!empty) return base::failure(base::ErrorCode::invalid, "not the name of a stream", stream);
  auto snapshot = snapshots.load(stream);
  if (!snapshot) return tl::unexpected(snapshot.error());
  if (*snapshot) base::rare(base::Rare::snapshot_used);
  LoadedStream loaded = *snapshot ? std::move(**snapshot) : LoadedStream{std::move(*empty), {}, {}};
  const auto blocks = index.blocks_after(stream, loaded.version);
  if (!blocks) return tl::unexpected(blocks.error());
  for (const IndexedBlock& indexed : *blocks) {
    const auto stored = store.read(indexed.first, 1, false);  // one byte asks for one block
    if (!stored) return tl::unexpected(stored.error());
    if (stored->empty()) return tl::unexpected(not_there(indexed.first));
    if (auto ok = fold_block(stored->front(), indexed, stream, loaded); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  return loaded;
}

}  // namespace

Result<LoadedStream> load_stream(BlockStore& store, StreamIndex& index, SnapshotStore& snapshots,
                                 const std::string& stream) {
  auto loaded = load(store, index, snapshots, stream);
  const bool is_damaged = !loaded && loaded.error().code == base::ErrorCode::rows_damaged;
  if (is_damaged) index.note_damage(loaded.error());
  return loaded;
}

bool save_stream(StreamIndex& index, SnapshotStore& snapshots, const std::string& stream,
                 const LoadedStream& loaded) {
  const auto indexed = index.position();
  return indexed && *indexed >= loaded.last && snapshots.save(stream, loaded);
}

void InlineLoader::save(const std::string& stream, LoadedStream loaded) {
  saved_.push_back({stream, save_stream(index_, snapshots_, stream, loaded)});
}

std::optional<LoadOutcome> InlineLoader::poll() {
  if (wanted_.empty()) return std::nullopt;
  std::string stream = std::move(wanted_.front());
  wanted_.pop_front();
  auto loaded = load_stream(store_, index_, snapshots_, stream);
  return LoadOutcome{std::move(stream), std::move(loaded)};
}

std::optional<SaveOutcome> InlineLoader::poll_saved() {
  if (saved_.empty()) return std::nullopt;
  SaveOutcome outcome = std::move(saved_.front());
  saved_.pop_front();
  return outcome;
}

}  // namespace eventlog
