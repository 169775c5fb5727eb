// Which blocks hold the events of a stream, and where in them they lie. Not in the commit path: it
// follows the log, may be behind, and can be deleted and built again.
//
// Streams are loaded by it, and what is appended to them follows from that: a row that was lost
// would let a version be given twice. Rows and checkpoint are one state of one store (see
// key_value_store.hpp), and the log proves the checkpoint by its hash, so no row before it is
// missing.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "eventlog/store/block_store.hpp"
#include "eventlog/store/key_value_store.hpp"

namespace eventlog {

// What a block holds of one stream.
struct IndexedBlock {
  Position first;                     // of the block
  std::vector<std::uint32_t> events;  // indexes in the block, ascending, at least one

  bool operator==(const IndexedBlock&) const = default;
};

class StreamIndex {
 public:
  // `rows` outlives the index, which uses keys that begin with "i/".
  explicit StreamIndex(KeyValueStore& rows) : rows_(rows) {}

  // Indexes everything up to `durable`, from the log's first block on; what another release indexed
  // otherwise is first removed. Called by one thread. Errors: those of prove_checkpoint; wrong_log
  // and rows_damaged: rebuild() it.
  Result<bool> catch_up(BlockStore& store, Position durable);
  Result<Position> position();
  // How far the index has come, and in which history; position 0 of one that is to be built anew.
  Result<Checkpoint> checkpoint();
  // Removes all rows of the store, lets `fill` write those that were not made of this log's blocks,
  // and indexes everything up to `durable`. Called by the thread of catch_up. Whoever looks for
  // blocks meanwhile, or after it has failed, is told `busy` rather than that there are none.
  Result<bool> rebuild(BlockStore& store, Position durable,
                       const std::function<Result<bool>()>& fill);

  // That of its rows.
  bool flush_when_due() { return rows_.flush_when_due(); }
  // The index names events that the log does not hold: its rows count as damaged.
  void note_damage(const base::Error& error) { rows_.note_damage(error); }
  // No rebuild is under way, or has failed.
  bool is_whole() const { return is_whole_; }

  // The blocks, ascending and each once, that hold versions of the stream greater than `version`,
  // as far as the index has come. The first one may hold earlier versions, too.
  Result<std::vector<IndexedBlock>> blocks_after(const std::string& stream,
                                                 base::StreamVersion version);

  // The same of those that hold any of the versions `first` to `last`.
  Result<std::vector<IndexedBlock>> blocks_between(const std::string& stream,
                                                   base::StreamVersion first,
                                                   base::StreamVersion last);

 private:
  Result<bool> begin_at_first(BlockStore& store, Checkpoint& reached);
  Result<bool> remove_blocks();

  KeyValueStore& rows_;
  bool is_proved_ = false;  // the checkpoint was found in the log; what follows proves itself
  std::atomic<bool> is_whole_{true};
};

}  // namespace eventlog
