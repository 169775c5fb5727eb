// Port: a device that keeps block N+1 behind block N, and reports honestly how each append ended.
// It is small enough that embedded and distributed engines are interchangeable; nothing above it
// assumes either.
#pragma once

#include <vector>

#include "eventlog/store/block.hpp"

namespace eventlog {

// The size of one read in a scan of the whole log: long enough for the disk to read ahead, short
// enough for memory.
constexpr std::size_t kScanBytes = 4 << 20;

enum class AppendStatus {
  stored,    // durable, as the store understands that
  conflict,  // the tail is not where the caller believed; nothing was written
  unknown,   // the block may or may not be stored: stop, reopen and look
};

struct AppendOutcome {
  AppendStatus status = AppendStatus::unknown;
  Position tail;      // last position in the store; if `unknown`, the last one known
  base::Error error;  // set for `conflict` and `unknown`
};

struct StoredBlock {
  Bytes facts;
  Bytes content;  // empty: none

  std::size_t bytes() const { return facts.size() + content.size(); }
};

// Where content was removed: the scope in which scrub() must look.
struct ScrubScope {
  Position first;  // first positions of the first and the last block with replaced content; 0: none
  Position last;
  std::vector<Bytes> chunk_prefixes;  // whose chunks were erased

  bool operator==(const ScrubScope&) const = default;
};

// Calls can come from several threads, with two exceptions. append must come from one thread only;
// so must replace_content, erase_chunks and scrub together.
class BlockStore {
 public:
  virtual ~BlockStore() = default;

  // Stores the block and its chunks, all or nothing, if its first position is tail + 1.
  virtual AppendOutcome append(const SealedBlock& block) = 0;

  // First and last position stored; 0 in an empty store.
  virtual Position first() const = 0;
  virtual Position tail() const = 0;

  // Returns blocks in order, beginning with the one that holds `from`, until their facts and the
  // requested content reach `bytes_max`. Returns at least one block if there is one. Behind the
  // tail the result is empty.
  virtual Result<std::vector<StoredBlock>> read(Position from, std::size_t bytes_max,
                                                bool with_content) = 0;
  // Returns the block that holds `from`, then those before it, in descending order.
  virtual Result<std::vector<StoredBlock>> read_reverse(Position from, std::size_t bytes_max) = 0;

  virtual Result<Bytes> read_chunk(ByteView key) = 0;

  // Replaces the content of the block that begins at `first`; empty content removes it.
  virtual Result<void> replace_content(Position first, ByteView content) = 0;
  // Removes all chunks whose keys begin with the prefix. Error invalid: the prefix is empty.
  virtual Result<void> erase_chunks(ByteView prefix) = 0;
  // Makes sure that no file of the store still holds content which replace_content and erase_chunks
  // have removed in `scope`, and frees its space. Can take as long as copying all content between
  // the first and the last block. Error busy: a reader still holds such a file open; call again in
  // a moment.
  virtual Result<void> scrub(const ScrubScope& scope) = 0;
  // Makes a store of the same kind in the folder, which must not exist yet, with all blocks up to
  // some moment during the call. Its files are not synced and can be links. Error refused: the
  // store cannot be copied.
  virtual Result<void> copy_to(const std::string& folder) = 0;
  // Removes the blocks that lie wholly before `position`. first() moves before anything is removed.
  // A reader that finds first() unchanged after its read has therefore read whole blocks.
  virtual Result<void> trim_before(Position position) = 0;
};

}  // namespace eventlog
