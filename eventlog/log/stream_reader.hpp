// Reads one stream's events through the stream index, forwards or backwards from a version, a block
// at a time. The cost follows from what is read, not from how much is stored.
#pragma once

#include <map>

#include "eventlog/log/log_reader.hpp"
#include "eventlog/log/stream_index.hpp"

namespace eventlog {

using base::StreamVersion;

// Used by the thread that uses the index.
class StreamReader {
 public:
  // Both outlive it.
  StreamReader(BlockStore& log, StreamIndex& index, std::string stream)
      : log_(log), index_(index), stream_(std::move(stream)) {}

  // Goes over the log from `from` to `through`, and reads these events without the index, which
  // need not know them. `from` must be at or before the stream's first event. Its cost follows from
  // all that lies there. Errors: as read_events.
  Result<void> list(Position from, Position through);

  // Returns the first version of the stream in the block that holds its first event behind
  // `position`, as far as the index has come. Without such an event, returns the last version + 1.
  // Looks at as many rows as the logarithm of the stream's length.
  Result<StreamVersion> version_behind(Position position);

  // Returns the facts of all of the stream's events in the block that holds `version`, or in the
  // next block if that one was trimmed. `first` is 0 when there is none. Error
  // rows_damaged: the index names events that are not there; it has noted the damage.
  Result<BlockEvents> block_of(StreamVersion version);

 private:
  Result<std::optional<IndexedBlock>> find(StreamVersion version);

  BlockStore& log_;
  StreamIndex& index_;
  const std::string stream_;
  std::map<StreamVersion, IndexedBlock> listed_;  // by their last version, from version 1 on
};

}  // namespace eventlog
