// The index of which blocks hold the events of a stream, and where in them they lie. It is not in
// the commit path: it follows the log, can be behind, and can be deleted and rebuilt.
//
// Streams are loaded through the index, and appends rely on the loaded state: a lost row would let
// a version be assigned twice. Rows and checkpoint are one state of one store (see
// key_value_store.hpp). The log proves the checkpoint by its hash, so no row before it is missing.
// missing.
#pragma once

#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "eventlog/store/block_store.hpp"
#include "eventlog/store/key_value_store.hpp"

namespace eventlog {

// The events of one stream in one block.
struct IndexedBlock {
  Position first;                     // of the block
  std::vector<std::uint32_t> events;  // indexes in the block, ascending, at least one

  bool operator==(const IndexedBlock&) const = default;
};

class StreamIndex {
 public:
  // `rows` outlives the index, which uses keys that begin with "i/".
  explicit StreamIndex(KeyValueStore& rows) : rows_(rows) {}

  // Indexes everything up to `durable`, from the log's first block on, after removing rows of
  // another schema. Called by one thread. Errors: those of prove_checkpoint, the store's. On
  // wrong_log and rows_damaged call rebuild().
  Result<void> catch_up(BlockStore& store, Position durable);
  Result<Position> position();
  // Returns how far the index has come, and in which history; position 0 when it must be rebuilt.
  Result<Checkpoint> checkpoint();
  // Removes all rows of the store, lets `fill` write those that are not made from this log's
  // blocks, and indexes everything up to `durable`. Called by the thread of catch_up. Lookups
  // during a rebuild, or after a failed one, return `busy` rather than no blocks.
  Result<void> rebuild(BlockStore& store, Position durable,
                       const std::function<Result<void>()>& fill);

  // As flush_when_due of its rows.
  bool flush_when_due() { return rows_.flush_when_due(); }
  // The index names events that the log does not hold: marks its rows as damaged.
  void note_damage(const base::Error& error) { rows_.note_damage(error); }
  // True unless a rebuild is under way or has failed.
  bool is_whole() const { return is_whole_; }

  // Returns the blocks, ascending and each once, that hold versions of the stream greater than
  // `version`, as far as the index has come. The first one can also hold earlier versions.
  Result<std::vector<IndexedBlock>> blocks_after(const std::string& stream,
                                                 base::StreamVersion version);

  // The same for blocks that hold any of the versions `first` to `last`.
  Result<std::vector<IndexedBlock>> blocks_between(const std::string& stream,
                                                   base::StreamVersion first,
                                                   base::StreamVersion last);

  // Returns the agents that have streams, also in the snapshots of what was archived, as far as the
  // index has come. Reads a few rows for each.
  Result<std::set<std::string>> agents();

 private:
  Result<void> add_agents(base::ByteView prefix, std::set<std::string>& agents);
  Result<void> begin_at_first(BlockStore& store, Checkpoint& reached);
  Result<void> remove_blocks();

  KeyValueStore& rows_;
  bool is_proved_ = false;  // the checkpoint was found in the log; later blocks prove themselves
  std::atomic<bool> is_whole_{true};
};

}  // namespace eventlog
