// Finds the blocks in the files of a log, for salvage, whatever its database says of them. Blocks
// are recognized by their own bytes and proof, in table files and write-ahead logs alike, even
// where RocksDB would reject a whole file. Nothing is opened as a database, and nothing is written.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "eventlog/folder/data_layout.hpp"
#include "eventlog/store/block.hpp"

namespace eventlog {

// A whole block and where it lies.
struct FoundBlock {
  BlockHeader header;
  Hash hash{};
  std::size_t folder = 0;  // index among the folders that were read
  std::size_t file = 0;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

class LogFiles {
 public:
  // Called with the bytes read so far and those of all files.
  using Progress = std::function<void(std::size_t read, std::size_t all)>;

  virtual ~LogFiles() = default;
  // Returns the blocks, ascending by position, one for each hash.
  virtual const std::vector<FoundBlock>& blocks() const = 0;
  // True if a block of a newer format was seen, which this release cannot read.
  virtual bool has_newer_format() const = 0;
  virtual Result<Bytes> facts(const FoundBlock& block) = 0;
  // Returns every stored version of the content of the block that begins there, as far as readable:
  // write-ahead logs first, then tables, each from the newest.
  virtual std::vector<Bytes> contents(Position first) = 0;
  virtual std::vector<Bytes> chunks(ByteView key) = 0;
};

// Reads all files of log() and evidence() of these folders once. Errors: io, refused.
Result<std::unique_ptr<LogFiles>> read_log_files(const std::vector<LogFolder>& folders,
                                                 const LogFiles::Progress& progress = {});

}  // namespace eventlog
