#include "eventlog/stream_loader.hpp"

#include "eventlog/base/rare.hpp"
#include "eventlog/log_reader.hpp"
#include "eventlog/session/event_codec.hpp"
#include "eventlog/session/evolve.hpp"

namespace eventlog {
namespace {

// Folds the events that the block holds of the stream; the others are not decoded.
Result<bool> fold_block(const StoredBlock& stored, const std::string& stream,
                        LoadedStream& loaded) {
  const auto block = parse_block(stored.facts);
  if (!block) return tl::unexpected(block.error());
  Position position = block->header.first.plus(-1);
  for (const ByteView facts : block->events) {
    position = position.next();
    const auto routing = session::decode_routing(facts);
    if (!routing) return tl::unexpected(at_position(routing.error(), position));
    if (routing->stream != stream || routing->version <= loaded.version) continue;
    if (routing->version != loaded.version.next()) {
      return base::failure(base::ErrorCode::damaged,
                           "version " + std::to_string(loaded.version.next().value) + " is missing",
                           stream);
    }
    auto event = session::decode_facts(facts);
    if (!event) return tl::unexpected(at_position(event.error(), position));
    event->envelope.position = position;
    session::evolve(loaded.state, event->envelope, event->event);
    loaded.version = routing->version;
    loaded.last = position;
  }
  return true;
}

}  // namespace

Result<LoadedStream> load_stream(BlockStore& store, StreamIndex& index, SnapshotStore& snapshots,
                                 const std::string& stream) {
  auto empty = session::initial_state(stream);
  if (!empty) return base::failure(base::ErrorCode::invalid, "not the name of a stream", stream);
  auto snapshot = snapshots.load(stream);
  if (!snapshot) return tl::unexpected(snapshot.error());
  if (*snapshot) base::rare(base::Rare::snapshot_used);
  LoadedStream loaded = *snapshot ? std::move(**snapshot) : LoadedStream{std::move(*empty), {}, {}};
  const auto blocks = index.blocks_after(stream, loaded.version);
  if (!blocks) return tl::unexpected(blocks.error());
  for (const Position first : *blocks) {
    const auto stored = store.read(first, 1, false);  // one byte asks for one block
    if (!stored) return tl::unexpected(stored.error());
    for (const StoredBlock& block : *stored) {
      if (auto ok = fold_block(block, stream, loaded); !ok) return tl::unexpected(ok.error());
    }
  }
  return loaded;
}

void InlineLoader::save(const std::string& stream, LoadedStream loaded) {
  saved_.push_back({stream, snapshots_.save(stream, loaded).has_value()});
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
