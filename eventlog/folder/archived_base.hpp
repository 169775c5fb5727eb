// What a log whose beginning was archived and trimmed begins with: the anchor that stands right
// before its first block, and the rows that all events up to there add up to. Below the data
// folder, base/<position>/ holds the file `anchor` and the rows (RocksDB).
#pragma once

#include "eventlog/folder/data_layout.hpp"
#include "eventlog/proof/anchor.hpp"
#include "eventlog/proof/verify.hpp"
#include "eventlog/store/block_store.hpp"
#include "eventlog/store/key_value_store.hpp"

namespace eventlog {

// The file `anchor` of a base.
struct BaseFile {
  SignedAnchor anchor;
  Position recorded;    // of the AnchorMade in the log that says the same
  std::string archive;  // that the events before went to: its name and folder then
  std::string folder;

  bool operator==(const BaseFile&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("anchor", &BaseFile::anchor);
    visit("recorded", &BaseFile::recorded);
    visit("archive", &BaseFile::archive);
    visit("folder", &BaseFile::folder);
  }
};

struct LogBase {
  Anchor anchor;
  std::string archive;
  std::string folder;
  // To be read, not proved by this; or why they cannot be.
  Result<std::unique_ptr<KeyValueStore>> rows;
};

// Of a log that does not begin at position 1: its base, proved by its signature, by the log's first
// block, which must follow it, and by the record, as far as the log reaches. None: the log is empty
// or begins at 1. Errors: damaged, naming the file that is missing, was changed, or is another one.
// Rows that cannot be read are none of them.
Result<std::optional<LogBase>> read_base(const LogFolder& folder, BlockStore& store);

// Going by the folder alone, whatever can be read of the log: is there the base of a beginning that
// was archived?
bool has_archived_beginning(const LogFolder& folder);

// The first anchor on record, at `from` or behind it, of the block that ends at `through`.
Result<std::optional<domain::MadeAnchor>> find_anchor(BlockStore& log, Position through,
                                                      Position from);

// The file of the base that ends at the position, as it stands there. Errors: damaged.
Result<BaseFile> read_base_file(const LogFolder& folder, Position position);

// Puts the file to the rows that lie in the folder. Durable when it returns.
Result<bool> write_base_file(const std::string& base_folder, const BaseFile& file, Disk& disk);

// Copies a whole base; durable when it returns.
Result<bool> copy_base(const LogFolder& from, const LogFolder& to, Position position, Disk& disk);

// Has verify_log begin there. The base has rows, and must outlive it.
void begin_at(const LogBase& base, VerifyBesides& besides);

// "events 1 to 17 are in archive NAME, in FOLDER"
std::string where_archived(const LogBase& base);

}  // namespace eventlog
