// Reads one stream's events back by the stream index, forwards from a version or backwards from
// one, a block at a time, so that it costs what is read and not what was ever stored.
#pragma once

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

  // The first version of the stream in the block that holds its first event behind `position`, as
  // far as the index has come; where it has none such, its last version + 1. Looks at as many rows
  // as the logarithm of the stream's length.
  Result<StreamVersion> version_behind(Position position);

  // Facts of the stream's events in the block that holds `version`, of all of them; of the next
  // block where the log does not hold that one any more. `first` 0: there is none. Error damaged:
  // the index names what is not there.
  Result<BlockEvents> block_of(StreamVersion version);

 private:
  Result<std::optional<IndexedBlock>> find(StreamVersion version);

  BlockStore& log_;
  StreamIndex& index_;
  const std::string stream_;
};

}  // namespace eventlog
