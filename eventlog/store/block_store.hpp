// Port: a device that keeps block N+1 behind block N and says honestly what it knows. Small enough
// that an embedded and a distributed engine are interchangeable; nothing above it assumes either.
#pragma once

#include <vector>

#include "eventlog/store/block.hpp"

namespace eventlog {

// Of one read, for who reads a whole log: long enough for the disk to read ahead, short
// enough for memory.
constexpr std::size_t kScanBytes = 4 << 20;

enum class AppendStatus {
  stored,    // durable, in the store's durability class
  conflict,  // the tail is not where the caller believed; nothing was written
  unknown,   // it may or may not have been stored: stop, reopen and look
};

struct AppendOutcome {
  AppendStatus status = AppendStatus::unknown;
  Position tail;      // last position in the store; of `unknown`, the last one known
  base::Error error;  // of `conflict` and `unknown`
};

// What an acknowledged append survives.
enum class DurabilityClass { process, machine, quorum };

struct StoredBlock {
  Bytes facts;
  Bytes content;  // empty: none

  std::size_t bytes() const { return facts.size() + content.size(); }
};

// Where content was removed, for scrub() to look.
struct ScrubScope {
  Position first;  // of the first and the last block whose content was replaced; 0: none was
  Position last;
  std::vector<Bytes> chunk_prefixes;  // whose chunks were erased

  bool operator==(const ScrubScope&) const = default;
};

// All calls may come from several threads, but append from one only, and so scrub.
class BlockStore {
 public:
  virtual ~BlockStore() = default;

  // Stores the block and its chunks, all or nothing, if its first position is tail + 1.
  virtual AppendOutcome append(const SealedBlock& block) = 0;

  // First and last position stored; 0 in an empty store.
  virtual Position first() const = 0;
  virtual Position tail() const = 0;

  // Blocks in order, beginning with the one that holds `from`, until `bytes_max` is reached of
  // facts and of the content that is asked for (at least one block, if there is one). Nothing
  // behind the tail: an empty result.
  virtual Result<std::vector<StoredBlock>> read(Position from, std::size_t bytes_max,
                                                bool with_content) = 0;
  // The block that holds `from`, then those before it, in descending order.
  virtual Result<std::vector<StoredBlock>> read_reverse(Position from, std::size_t bytes_max) = 0;

  virtual Result<Bytes> read_chunk(ByteView key) = 0;

  // Replaces the content block of the block that begins at `first`; empty: removes it.
  virtual Result<bool> replace_content(Position first, ByteView content) = 0;
  // Removes all chunks whose keys begin with the prefix. Error invalid: the prefix is empty.
  virtual Result<bool> erase_chunks(ByteView prefix) = 0;
  // Makes sure that no file of the store holds what replace_content and erase_chunks have removed
  // there, and gives its space back. May take as long as copying all content between the first and
  // the last block. Error busy: a reader still holds such a file open; call again in a moment.
  virtual Result<bool> scrub(const ScrubScope& scope) = 0;
  // Makes a store of the same kind in the folder, which is not there yet, with all blocks up to
  // some moment of the call; not synced, its files maybe links. Error refused: the store cannot.
  virtual Result<bool> copy_to(const std::string& folder) = 0;
  // Removes the blocks that lie wholly before `position`. first() moves before anything goes: who
  // reads beside it, and sees first() where it was when the reading began, has read what was whole.
  virtual Result<bool> trim_before(Position position) = 0;

  virtual DurabilityClass durability() const = 0;
};

}  // namespace eventlog

template <>
struct base::EnumNames<eventlog::DurabilityClass> {
  static constexpr std::string_view kNames[] = {"process", "machine", "quorum"};
};
