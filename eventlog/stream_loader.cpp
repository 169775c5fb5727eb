#include "eventlog/stream_loader.hpp"

#include <limits>

#include "eventlog/base/rare.hpp"
#include "eventlog/log_reader.hpp"
#include "eventlog/session/evolve.hpp"

namespace eventlog {
namespace {

constexpr Position kEndOfLog{std::numeric_limits<std::int64_t>::max()};

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
    // One byte asks for one block; it may hold more than kBlockEventsMax events, see block.hpp.
    const auto events = read_events(store, first, kEndOfLog, {1, false});
    if (!events) return tl::unexpected(events.error());
    for (const session::RecordedEvent& event : *events) {
      if (event.envelope.stream != stream || event.envelope.version <= loaded.version) continue;
      if (event.envelope.version != loaded.version.next()) {
        return base::failure(
            base::ErrorCode::damaged,
            "version " + std::to_string(loaded.version.next().value) + " is missing", stream);
      }
      session::evolve(loaded.state, event.envelope, event.event);
      loaded.version = event.envelope.version;
      loaded.last = event.envelope.position;
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
