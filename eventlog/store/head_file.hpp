// A file of its own that says how far the log was when the last block was acknowledged. A log that
// is found shorter than its head has lost something, which RocksDB alone would not notice.
//
// Two slots of 4 KiB are written in turn, so that a torn write leaves the other one whole. A write
// is one pwrite (survives SIGKILL); a thread syncs the file at most kHeadSyncDelay later.
#pragma once

#include <memory>
#include <optional>

#include "eventlog/store/block.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

constexpr base::Duration kHeadSyncDelay = std::chrono::milliseconds(50);

// What a slot of the file holds, behind its length and before its checksum.
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
  // Returns when the operating system has the bytes. Called by the committing thread only. Once a
  // sync of the file has failed, every write fails: what is written may be lost without a word.
  virtual Result<bool> write(const Checkpoint& head) = 0;
};

// The newest whole slot of the file; none when there is no file or it holds no whole slot yet.
// A file with bytes of which no slot is whole is an Error `damaged`; one that was just made has a
// whole slot that holds no head.
Result<std::optional<Checkpoint>> read_head_file(const std::string& path);

// What a head file says beside its newest whole slot.
struct HeadState {
  std::optional<Checkpoint> head;  // as read_head_file
  bool is_there = false;           // a file that holds bytes
  // The other slot is damaged, and may have named a later head.
  bool is_doubtful = false;
};

// Error damaged: as read_head_file.
Result<HeadState> inspect_head_file(const std::string& path);

// Makes the file when there is none; its folder is then to be synced.
Result<std::unique_ptr<HeadFile>> open_head_file(const std::string& path,
                                                 Disk& disk = system_disk());

}  // namespace eventlog
