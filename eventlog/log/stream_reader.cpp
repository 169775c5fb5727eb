// The version behind a position is found by doubling steps and then halving, since later versions
// lie at later positions.
#include "eventlog/log/stream_reader.hpp"

#include "eventlog/domain/event_codec.hpp"

namespace eventlog {

Result<std::optional<IndexedBlock>> StreamReader::find(StreamVersion version) {
  const auto listed = listed_.lower_bound(version);
  if (listed != listed_.end()) return listed->second;
  auto blocks = index_.blocks_between(stream_, version, version);
  if (!blocks) return tl::unexpected(blocks.error());
  if (blocks->empty()) return std::nullopt;
  return std::move(blocks->front());
}

Result<void> StreamReader::list(Position from, Position through) {
  while (from <= through) {
    const auto block =
        read_block_of(log_, from, [this](ByteView stream) { return stream == stream_; });
    if (!block) return tl::unexpected(block.error());
    if (block->first.value == 0 || block->first > from) break;
    IndexedBlock listed{block->first, {}};
    for (const domain::RecordedEvent& event : block->events) {
      const std::int64_t index = event.envelope.position.value - block->first.value;
      listed.events.push_back(static_cast<std::uint32_t>(index));
    }
    if (!listed.events.empty()) {
      listed_[block->events.back().envelope.version] = std::move(listed);
    }
    from = block->last.next();
  }
  return {};
}

Result<StreamVersion> StreamReader::version_behind(Position position) {
  // True if the version lies behind `position` or does not exist; then so do all later versions.
  const auto is_behind = [&](StreamVersion version) -> Result<bool> {
    const auto block = find(version);
    if (!block) return tl::unexpected(block.error());
    return !*block || (*block)->first.plus((*block)->events.back()) > position;
  };
  StreamVersion before{0};
  StreamVersion behind{1};
  for (;;) {
    const auto found = is_behind(behind);
    if (!found) return tl::unexpected(found.error());
    if (*found) break;
    before = behind;
    behind.value *= 2;
  }
  while (behind.value - before.value > 1) {
    const StreamVersion middle{before.value + (behind.value - before.value) / 2};
    const auto found = is_behind(middle);
    if (!found) return tl::unexpected(found.error());
    (*found ? behind : before) = middle;
  }
  return behind;
}

Result<BlockEvents> StreamReader::block_of(StreamVersion version) {
  const auto indexed = find(version);
  if (!indexed) return tl::unexpected(indexed.error());
  if (!*indexed) return BlockEvents{};
  auto block =
      read_block_of(log_, (*indexed)->first, [this](ByteView stream) { return stream == stream_; });
  if (!block) return tl::unexpected(block.error());
  if (block->first == (*indexed)->first && block->events.size() == (*indexed)->events.size()) {
    return block;
  }
  const Position first = log_.first();
  if ((*indexed)->first < first) {
    // The block was trimmed: go on with the first one that is left.
    const auto left = version_behind(first.plus(-1));
    if (!left) return tl::unexpected(left.error());
    return *left > version ? block_of(*left) : BlockEvents{};
  }
  const base::Error damage{base::ErrorCode::rows_damaged,
                           "the stream index does not name the events that are there",
                           "position " + std::to_string((*indexed)->first.value)};
  index_.note_damage(damage);
  return tl::unexpected(damage);
}

}  // namespace eventlog
