// Blocks as lines of JSON, for people, for other programs, and back: the block that is read from a
// line is the same bytes. tools/README.md has the format.
#pragma once

#include <string>

#include "eventlog/proof/erased_after_copy.hpp"
#include "eventlog/store/block.hpp"

namespace steno {

// A chunk of a large content, on a line before that of its block.
std::string chunk_line(const eventlog::Chunk& chunk);

// Of a backup or archive: what was erased from it and its blocks do not say, on a line behind them.
std::string erased_line(const eventlog::LaterErasure& erasure);

struct BlockLineOptions {
  bool with_content = true;
  std::string proof;  // of a block that salvage could not keep; empty: none is said
};

// `block.chunks` are not in it. Error damaged: the block's own bytes are not one.
base::Result<std::string> block_line(const eventlog::SealedBlock& block,
                                     const BlockLineOptions& options = {});

// What an import reads, one line after the other. Errors: invalid, saying what is wrong in the
// line.
class BlockLineReader {
 public:
  enum class Kind { block, chunk, erased };
  // A chunk is kept for the block that follows. Of a line whose words and bytes differ, none is
  // believed.
  base::Result<Kind> read(const std::string& line);
  // The block of the last line that was one, with its chunks. Its hash is that of its bytes, and
  // the one that the line names.
  eventlog::SealedBlock take_block();
  // Of the last line that was one; its events are proper.
  eventlog::LaterErasure take_erased() { return std::move(erased_); }

 private:
  eventlog::SealedBlock block_;
  std::vector<eventlog::Chunk> chunks_;
  eventlog::LaterErasure erased_;
};

}  // namespace steno
