// The head file says how far the log had come when the last block was acknowledged. A log that is
// shorter than its head has lost something, which RocksDB alone would not notice.
//
// Two slots of 4 KiB are written in turn, so that a torn write leaves the other one whole. A write
// is one pwrite, which survives SIGKILL; a thread syncs the file at most kHeadSyncDelay later.
#pragma once

#include <memory>
#include <optional>

#include "eventlog/store/block.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

constexpr base::Duration kHeadSyncDelay = std::chrono::milliseconds(50);

// The body of a slot, which lies behind its length and before its checksum.
struct HeadSlot {
  std::int64_t sequence = 0;  // grows with every write; the greater one is the newer
  Checkpoint head;

  bool operator==(const HeadSlot&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("sequence", &HeadSlot::sequence);
    visit("head", &HeadSlot::head);
  }
};

Bytes encode_head_slot(const HeadSlot& slot);
// The newest whole slot among the file's bytes; none when no slot is whole.
std::optional<HeadSlot> parse_head_file(ByteView bytes);

class HeadFile {
 public:
  virtual ~HeadFile() = default;
  // Returns when the operating system has the bytes. Called by the committing thread only. After
  // one failed sync of the file every write fails, because later bytes could be lost unnoticed.
  virtual Result<void> write(const Checkpoint& head) = 0;
};

// Returns the head in the newest whole slot. None when there is no file, an empty one, or one that
// was just made, whose slots are whole and hold no head. Error damaged: the file has bytes but no
// whole slot.
Result<std::optional<Checkpoint>> read_head_file(const std::string& path);

// The state of a head file: its newest whole slot, and whether that is certain to be the newest.
struct HeadState {
  std::optional<Checkpoint> head;  // as read_head_file
  bool is_there = false;           // a file that holds bytes
  // The other slot is damaged and may have named a later head.
  bool is_doubtful = false;
};

// Error damaged: as in read_head_file.
Result<HeadState> inspect_head_file(const std::string& path);

// Opens the head file for writing. When there is none, makes it; the caller must then sync its
// folder.
Result<std::unique_ptr<HeadFile>> open_head_file(const std::string& path,
                                                 Disk& disk = system_disk());

}  // namespace eventlog
