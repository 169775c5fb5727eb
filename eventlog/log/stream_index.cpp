// One row lists up to 64 blocks of one stream, under the stream's name and the last version in
// them. eventlog/README.md has the grammar of the bytes.
#include "eventlog/log/stream_index.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/log_reader.hpp"
#include "eventlog/log/tail_proof.hpp"

namespace eventlog {
namespace {

constexpr std::size_t kBatchBytes = 4 << 20;  // bytes of facts read between two writes
constexpr ByteView kCheckpointKey = "i/";
// Changes with the rows: an index of another schema is rebuilt.
constexpr std::int64_t kIndexSchema = 3;
// Blocks of a stream that share one row, so that a row is written for many events. The limit is low
// because a lookup of the last event decodes a whole row.
constexpr std::size_t kRowBlocksMax = 64;

struct IndexCheckpoint {
  std::int64_t schema = 0;
  Checkpoint reached;

  bool operator==(const IndexCheckpoint&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schema", &IndexCheckpoint::schema);
    visit("reached", &IndexCheckpoint::reached);
  }
};

// A row's entry for one block: the block's first:u64, the stream's last version:u64 in it,
// count:u32, and as many times index:u32 of an event.
struct Entry {
  IndexedBlock block;
  base::StreamVersion last;
};

void append_entry(Bytes& row, const Entry& entry) {
  base::append_u64(row, static_cast<std::uint64_t>(entry.block.first.value));
  base::append_u64(row, static_cast<std::uint64_t>(entry.last.value));
  base::append_u32(row, static_cast<std::uint32_t>(entry.block.events.size()));
  for (const std::uint32_t index : entry.block.events) base::append_u32(row, index);
}

// Takes one entry off the front; false if there is no whole one.
bool take_entry(ByteView& row, Entry& entry) {
  constexpr std::size_t kHeader = 8 + 8 + 4;
  constexpr std::size_t kIndex = 4;
  if (row.size() < kHeader) return false;
  entry.block.first = {static_cast<std::int64_t>(base::read_u64(row))};
  entry.last = base::StreamVersion{static_cast<std::int64_t>(base::read_u64(row.substr(8)))};
  const std::size_t count = base::read_u32(row.substr(16));
  row.remove_prefix(kHeader);
  if (count == 0 || count > row.size() / kIndex) return false;
  entry.block.events.clear();
  for (std::size_t i = 0; i < count; ++i, row.remove_prefix(kIndex)) {
    entry.block.events.push_back(base::read_u32(row));
  }
  return true;
}

Bytes stream_prefix(ByteView stream) {
  return Bytes("i/").append(stream).append(1, '\0');
}

// The key holds the row's last version of the stream, so a scan from v + 1 finds the block of v +
// 1.
Bytes entry_key(ByteView stream, base::StreamVersion last) {
  Bytes key = stream_prefix(stream);
  base::append_u64(key, static_cast<std::uint64_t>(last.value));
  return key;
}

// Gathers the events of each stream from blocks, and makes rows of them.
class RowsOfBlocks {
 public:
  explicit RowsOfBlocks(WriteBatch& batch) : batch_(batch) {}

  Result<void> add(const BlockView& block) {
    for (std::size_t i = 0; i < block.events.size(); ++i) {
      const auto routing = domain::decode_routing(block.events[i]);
      if (!routing) return tl::unexpected(routing.error());
      auto found = rows_.find(routing->stream);
      if (found == rows_.end()) found = rows_.try_emplace(Bytes(routing->stream)).first;
      Row& row = found->second;
      Entry& entry = row.open;
      if (entry.block.first != block.header.first) {
        close_entry(row);
        if (row.blocks == kRowBlocksMax) write(found->first, row);
        entry.block.first = block.header.first;
      }
      entry.last = routing->version;
      entry.block.events.push_back(static_cast<std::uint32_t>(i));
    }
    return {};
  }

  void finish() {
    for (auto& [stream, row] : rows_) {
      close_entry(row);
      write(stream, row);
    }
  }

 private:
  struct Row {
    Entry open;  // the entry of the block that was added last
    base::StreamVersion last;
    Bytes value;
    std::size_t blocks = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(ByteView text) const { return std::hash<ByteView>{}(text); }
  };

  static void close_entry(Row& row) {
    if (row.open.block.events.empty()) return;
    append_entry(row.value, row.open);
    row.last = row.open.last;
    ++row.blocks;
    row.open.block.events.clear();
  }

  void write(const Bytes& stream, Row& row) {
    batch_.put(entry_key(stream, row.last), std::exchange(row.value, {}));
    row.blocks = 0;
  }

  WriteBatch& batch_;
  std::unordered_map<Bytes, Row, Hash, std::equal_to<>> rows_;
};

base::Error bad_row(ByteView key) {
  return {base::ErrorCode::rows_damaged, "a row of the stream index is malformed", Bytes(key)};
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
  if (!stored) return tl::unexpected(bad_row(kCheckpointKey));
  return stored->schema == kIndexSchema ? stored->reached : Checkpoint{};
}

Result<Position> StreamIndex::position() {
  const auto reached = checkpoint();
  if (!reached) return tl::unexpected(reached.error());
  return reached->position;
}

Result<void> StreamIndex::rebuild(BlockStore& store, Position durable,
                                  const std::function<Result<void>()>& fill) {
  is_whole_ = false;
  is_proved_ = false;
  if (auto ok = rows_.clear(); !ok) return ok;
  if (auto ok = fill(); !ok) return ok;
  if (auto ok = catch_up(store, durable); !ok) return ok;
  is_whole_ = true;
  return {};
}

// Earlier blocks were archived, and no lookup may find them in this log.
Result<void> StreamIndex::begin_at_first(BlockStore& store, Checkpoint& reached) {
  const auto blocks = store.read(store.first(), 1, false);
  if (!blocks) return tl::unexpected(blocks.error());
  if (blocks->empty()) return {};
  const auto block = parse_block(blocks->front().facts);
  if (!block) return tl::unexpected(block.error());
  const BlockHeader& header = block->header;
  reached = {header.log, header.epoch, header.first.plus(-1), header.previous};
  return {};
}

// Removes rows of another schema, and rows without a checkpoint.
Result<void> StreamIndex::remove_blocks() {
  WriteBatch batch;
  for (;;) {
    auto rows = rows_.scan("i/", "", 10'000);
    if (!rows) return tl::unexpected(rows.error());
    if (rows->empty()) return {};
    for (KeyValue& row : *rows) batch.remove(std::move(row.key));
    if (auto ok = rows_.write(batch); !ok) return ok;
    batch = {};
  }
}

Result<void> StreamIndex::catch_up(BlockStore& store, Position durable) {
  auto reached = checkpoint();
  if (!reached) return tl::unexpected(reached.error());
  if (!is_proved_ && reached->position.value == 0) {
    if (auto ok = remove_blocks(); !ok) return ok;
  }
  if (!is_proved_) {
    // The log cannot prove rows that end before its first block.
    const bool is_provable =
        reached->position.value == 0 || reached->position.next() >= store.first();
    if (!is_provable) return wrong_log(*reached);
    if (auto ok = prove_checkpoint(store, *reached); !ok) return ok;
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
    RowsOfBlocks rows(batch);
    const std::vector<Hash> hashes = hashes_of(*blocks);
    for (std::size_t i = 0; i < blocks->size(); ++i) {
      const auto block = parse_block((*blocks)[i].facts);
      if (!block) return tl::unexpected(block.error());
      if (block->header.first > durable) break;
      if (block->header.first != reached->position.next() ||
          block->header.previous != reached->hash) {
        return wrong_log(*reached);
      }
      if (auto ok = rows.add(*block); !ok) return ok;
      *reached = {block->header.log, block->header.epoch, block->header.last(), hashes[i]};
    }
    rows.finish();
    batch.put(Bytes(kCheckpointKey), base::encode(IndexCheckpoint{kIndexSchema, *reached}));
    if (auto ok = rows_.write(batch); !ok) return ok;
  }
  return {};
}

namespace {

// Returns the blocks that the rows list for the versions `first` to `last`.
Result<std::vector<IndexedBlock>> blocks_of(const std::vector<KeyValue>& rows,
                                            const std::string& stream, base::StreamVersion first,
                                            base::StreamVersion last) {
  std::vector<IndexedBlock> blocks;
  for (const KeyValue& row : rows) {
    Entry entry;
    ByteView left = row.value;
    do {
      if (!take_entry(left, entry)) {
        return tl::unexpected(bad_row(stream));
      }
      if (entry.last < first) continue;
      blocks.push_back(entry.block);
      if (entry.last >= last) return blocks;
    } while (!left.empty());
  }
  return blocks;
}

constexpr base::StreamVersion kLast{std::numeric_limits<std::int64_t>::max()};

}  // namespace

Result<std::vector<IndexedBlock>> StreamIndex::blocks_after(const std::string& stream,
                                                            base::StreamVersion version) {
  return blocks_between(stream, version.next(), kLast);
}

// Goes from the first key of one agent to the first behind all of its keys. Streams of no agent
// begin with '$', and are passed over at once.
Result<void> StreamIndex::add_agents(ByteView prefix, std::set<std::string>& agents) {
  Bytes from(prefix);
  for (;;) {
    const auto rows = rows_.scan(prefix, from, 1);
    if (!rows) return tl::unexpected(rows.error());
    if (rows->empty()) return {};
    const ByteView name = ByteView(rows->front().key).substr(prefix.size());
    const std::size_t slash = name.find('/');
    const ByteView agent = name.substr(0, slash == ByteView::npos ? 0 : slash);
    if (domain::is_agent_name(agent)) {
      agents.emplace(agent);
      from = Bytes(prefix).append(agent).append(1, '/' + 1);
    } else if (name.starts_with('$')) {
      from = Bytes(prefix).append(1, '$' + 1);
    } else {
      from = rows->front().key + Bytes(1, '\0');
    }
  }
}

Result<std::set<std::string>> StreamIndex::agents() {
  std::set<std::string> agents;
  for (const ByteView prefix : {ByteView("i/"), ByteView("s/")}) {
    if (auto ok = add_agents(prefix, agents); !ok) return tl::unexpected(ok.error());
  }
  return agents;
}

Result<std::vector<IndexedBlock>> StreamIndex::blocks_between(const std::string& stream,
                                                              base::StreamVersion first,
                                                              base::StreamVersion last) {
  // Each row covers at least one of the versions.
  const auto rows_max = static_cast<std::size_t>(std::max(last.value - first.value + 1, 0L));
  const std::uint64_t generation = rows_.generation();
  const bool was_whole = is_whole_;
  auto rows = rows_.scan(stream_prefix(stream), entry_key(stream, first), rows_max);
  if (!rows) return tl::unexpected(rows.error());
  // During a rebuild a missing stream may only not be indexed yet.
  if (!was_whole || !is_whole_ || rows_.generation() != generation) {
    return base::failure(base::ErrorCode::busy, "the stream index is being built anew", stream);
  }
  return blocks_of(*rows, stream, first, last);
}

}  // namespace eventlog
