#include "eventlog/stream_index.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "eventlog/base/mutant.hpp"
#include "eventlog/session/event_codec.hpp"

namespace eventlog {
namespace {

constexpr std::size_t kBatchBytes = 4 << 20;  // of facts read between two writes
constexpr ByteView kCheckpointKey = "i/";
// Changes with the rows: an index of another schema is built anew.
constexpr std::int64_t kIndexSchema = 2;

struct IndexCheckpoint {
  std::int64_t schema = 0;
  Checkpoint reached;

  bool operator==(const IndexCheckpoint&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("schema", self.schema);
    visit("reached", self.reached);
  }
};

// A row's value: first:u64 of the block, and index:u32 of each event.
Bytes entry_value(Position first) {
  Bytes value;
  base::append_u64(value, static_cast<std::uint64_t>(first.value));
  return value;
}

Result<IndexedBlock> decode_entry(const KeyValue& row, const std::string& stream) {
  constexpr std::size_t kFirst = 8;
  constexpr std::size_t kIndex = 4;
  if (row.value.size() < kFirst + kIndex || (row.value.size() - kFirst) % kIndex != 0) {
    return base::failure(base::ErrorCode::damaged, "a row of the stream index is malformed",
                         stream);
  }
  IndexedBlock block{{static_cast<std::int64_t>(base::read_u64(row.value))}, {}};
  for (std::size_t at = kFirst; at < row.value.size(); at += kIndex) {
    block.events.push_back(base::read_u32(ByteView(row.value).substr(at)));
  }
  return block;
}

Bytes stream_prefix(ByteView stream) {
  return Bytes("i/").append(stream).append(1, '\0');
}

// By the block's last version of the stream, so that a scan from v + 1 finds the block of v + 1.
Bytes entry_key(ByteView stream, base::StreamVersion last) {
  Bytes key = stream_prefix(stream);
  base::append_u64(key, static_cast<std::uint64_t>(last.value));
  return key;
}

// What one block holds of each of its streams.
Result<bool> add_block(const BlockView& block, WriteBatch& batch) {
  struct Entry {
    base::StreamVersion last;
    Bytes value;
  };
  std::map<ByteView, Entry> entries;
  for (std::size_t i = 0; i < block.events.size(); ++i) {
    const auto routing = session::decode_routing(block.events[i]);
    if (!routing) return tl::unexpected(routing.error());
    const auto [entry, is_new] = entries.try_emplace(routing->stream);
    if (is_new) entry->second.value = entry_value(block.header.first);
    entry->second.last = routing->version;
    if (base::mutant(base::Mutant::index_leaves_event_out) && !is_new) continue;
    base::append_u32(entry->second.value, static_cast<std::uint32_t>(i));
  }
  for (auto& [stream, entry] : entries) {
    batch.put(entry_key(stream, entry.last), std::move(entry.value));
  }
  return true;
}

tl::unexpected<base::Error> wrong_log(const Checkpoint& reached) {
  return base::failure(base::ErrorCode::wrong_log,
                       "the stream index was built from another history of the log",
                       "position " + std::to_string(reached.position.value));
}

}  // namespace

Result<Checkpoint> StreamIndex::checkpoint() {
  auto row = rows_.get(kCheckpointKey);
  if (!row) return tl::unexpected(row.error());
  if (!*row) return Checkpoint{};
  const auto stored = base::decode<IndexCheckpoint>(**row);
  if (!stored) return tl::unexpected(stored.error());
  return stored->schema == kIndexSchema ? stored->reached : Checkpoint{};
}

Result<Position> StreamIndex::position() {
  const auto reached = checkpoint();
  if (!reached) return tl::unexpected(reached.error());
  return reached->position;
}

Result<bool> StreamIndex::clear() {
  WriteBatch batch;
  for (;;) {
    auto rows = rows_.scan("i/", "", 10'000);
    if (!rows) return tl::unexpected(rows.error());
    if (rows->empty()) return true;
    for (KeyValue& row : *rows) batch.remove(std::move(row.key));
    if (auto ok = rows_.write(batch); !ok) return ok;
    batch = {};
  }
}

// That the block which ends at the checkpoint is in this log, as it was when it was indexed.
Result<bool> StreamIndex::prove(BlockStore& store, const Checkpoint& reached) {
  if (reached.position.value == 0 || reached.position < store.first()) return true;
  auto blocks = store.read(reached.position, 1, false);
  if (!blocks) return tl::unexpected(blocks.error());
  if (blocks->empty()) return wrong_log(reached);
  const auto block = parse_block(blocks->front().facts);
  if (!block) return tl::unexpected(block.error());
  const bool is_same = block->header.last() == reached.position && block->hash() == reached.hash;
  return is_same ? Result<bool>(true) : wrong_log(reached);
}

// What lies before was archived: nobody is to find its blocks here.
Result<bool> StreamIndex::begin_at_first(BlockStore& store, Checkpoint& reached) {
  const auto blocks = store.read(store.first(), 1, false);
  if (!blocks) return tl::unexpected(blocks.error());
  if (blocks->empty()) return true;
  const auto block = parse_block(blocks->front().facts);
  if (!block) return tl::unexpected(block.error());
  const BlockHeader& header = block->header;
  reached = {header.log, header.epoch, header.first.plus(-1), header.previous};
  return true;
}

Result<bool> StreamIndex::catch_up(BlockStore& store, Position durable) {
  if (base::mutant(base::Mutant::index_one_behind)) durable = durable.plus(-1);
  auto reached = checkpoint();
  if (!reached) return tl::unexpected(reached.error());
  if (!is_proved_ && reached->position.value == 0) {
    if (auto ok = clear(); !ok) return ok;
  }
  if (!is_proved_ && !base::mutant(base::Mutant::index_not_proved)) {
    if (auto ok = prove(store, *reached); !ok) return ok;
    is_proved_ = true;
  }
  if (reached->position.next() < store.first()) {
    if (auto ok = begin_at_first(store, *reached); !ok) return ok;
  }
  while (reached->position < durable) {
    auto blocks = store.read(reached->position.next(), kBatchBytes, false);
    if (!blocks) return tl::unexpected(blocks.error());
    if (blocks->empty()) break;
    WriteBatch batch;
    for (const StoredBlock& stored : *blocks) {
      const auto block = parse_block(stored.facts);
      if (!block) return tl::unexpected(block.error());
      if (block->header.first > durable) break;
      if (block->header.first != reached->position.next() ||
          block->header.previous != reached->hash) {
        return wrong_log(*reached);
      }
      if (auto ok = add_block(*block, batch); !ok) return ok;
      *reached = {block->header.log, block->header.epoch, block->header.last(), block->hash()};
    }
    batch.put(Bytes(kCheckpointKey), base::encode(IndexCheckpoint{kIndexSchema, *reached}));
    if (auto ok = rows_.write(batch); !ok) return ok;
  }
  return true;
}

namespace {

// Of rows of the index up to the first one whose version reaches `last`.
Result<std::vector<IndexedBlock>> blocks_of(const std::vector<KeyValue>& rows,
                                            const std::string& stream, base::StreamVersion last) {
  std::vector<IndexedBlock> blocks;
  for (const KeyValue& row : rows) {
    auto block = decode_entry(row, stream);
    if (!block) return tl::unexpected(block.error());
    blocks.push_back(std::move(*block));
    if (row.key >= entry_key(stream, last)) break;
  }
  return blocks;
}

constexpr base::StreamVersion kLast{std::numeric_limits<std::int64_t>::max()};

}  // namespace

Result<std::vector<IndexedBlock>> StreamIndex::blocks_after(const std::string& stream,
                                                            base::StreamVersion version) {
  const auto from =
      base::mutant(base::Mutant::index_skips_block) ? version.next().next() : version.next();
  return blocks_between(stream, from, kLast);
}

Result<std::vector<IndexedBlock>> StreamIndex::blocks_between(const std::string& stream,
                                                              base::StreamVersion first,
                                                              base::StreamVersion last) {
  // Each row stands for one of the versions at least.
  const auto rows_max = static_cast<std::size_t>(std::max(last.value - first.value + 1, 0L));
  auto rows = rows_.scan(stream_prefix(stream), entry_key(stream, first), rows_max);
  if (!rows) return tl::unexpected(rows.error());
  return blocks_of(*rows, stream, last);
}

}  // namespace eventlog
