// Which blocks hold the events of a stream, and where in them they lie. Not in the commit path: it
// follows the log, may be behind, and can be deleted and built again.
#pragma once

#include <vector>

#include "eventlog/block_store.hpp"
#include "eventlog/key_value_store.hpp"

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
  // otherwise is first removed. Called by one thread. Error wrong_log: the index was built from
  // another history, or the log has lost events since; clear() it and catch up from the start.
  Result<bool> catch_up(BlockStore& store, Position durable);
  Result<Position> position();
  // How far the index has come, and in which history; position 0 of one that is to be built anew.
  Result<Checkpoint> checkpoint();
  Result<bool> clear();

  // The blocks, ascending and each once, that hold versions of the stream greater than `version`,
  // as far as the index has come. The first one may hold earlier versions, too.
  Result<std::vector<IndexedBlock>> blocks_after(const std::string& stream,
                                                 base::StreamVersion version);

  // The same of those that hold any of the versions `first` to `last`.
  Result<std::vector<IndexedBlock>> blocks_between(const std::string& stream,
                                                   base::StreamVersion first,
                                                   base::StreamVersion last);

 private:
  Result<bool> prove(BlockStore& store, const Checkpoint& reached);
  Result<bool> begin_at_first(BlockStore& store, Checkpoint& reached);

  KeyValueStore& rows_;
  bool is_proved_ = false;  // the checkpoint was found in the log; what follows proves itself
};

}  // namespace eventlog
