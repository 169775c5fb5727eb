// Blocks as lines of JSON, for people and programs, and back: a block read from its line has the
// same bytes. tools/README.md has the format.
#pragma once

#include <string>

#include "eventlog/proof/erased_after_copy.hpp"
#include "eventlog/store/block.hpp"

namespace steno {

// Returns the line of a chunk of a large content, which comes before the line of its block.
std::string chunk_line(const eventlog::Chunk& chunk);

// Returns the line of an erasure from a backup or archive that its blocks do not record. It comes
// after the blocks.
std::string erased_line(const eventlog::LaterErasure& erasure);

struct BlockLineOptions {
  bool with_content = true;
  std::string proof;  // of a block that salvage could not keep; empty: no proof is printed
};

// Returns the line of a block, without `block.chunks`. Error damaged: the block's bytes are not a
// block.
base::Result<std::string> block_line(const eventlog::SealedBlock& block,
                                     const BlockLineOptions& options = {});

// Reads the lines of an export, one after the other. Error invalid says what is wrong in the line.
class BlockLineReader {
 public:
  enum class Kind { block, chunk, erased };
  // Keeps a chunk for the block that follows. Refuses a line whose words and bytes differ.
  base::Result<Kind> read(const std::string& line);
  // Returns the block of the last block line, with its chunks. Its hash is computed from its bytes
  // and equals the one that the line names.
  eventlog::SealedBlock take_block();
  // Returns the erasure of the last such line; its ranges are proper (domain::is_proper).
  eventlog::LaterErasure take_erased() { return std::move(erased_); }

 private:
  eventlog::SealedBlock block_;
  std::vector<eventlog::Chunk> chunks_;
  eventlog::LaterErasure erased_;
};

}  // namespace steno
