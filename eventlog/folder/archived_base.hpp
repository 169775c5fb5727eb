// The base of a log whose beginning was archived and trimmed: the anchor right before its first
// block, and the rows that all events up to there add up to. Below the data folder,
// base/<position>/ holds the file `anchor` and the rows (RocksDB).
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
  Position recorded;    // the position of the same AnchorMade in the log
  std::string archive;  // name and folder of the archive, when it was made
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
  // Rows for reading, not proved here; or the reason why they cannot be read.
  Result<std::unique_ptr<KeyValueStore>> rows;
};

// Returns the base of a log that does not begin at position 1; none when the log is empty or begins
// at 1. The base is proved by its signature, by the log's first block, which must follow it, and by
// the record, as far as the log reaches. Errors: damaged, naming the file that is missing, was
// changed or is another one. Unreadable rows are not an error here.
Result<std::optional<LogBase>> read_base(const LogFolder& folder, BlockStore& store);

// True if the folder holds the base of an archived beginning, judged by the folder alone, even if
// the log cannot be read.
bool has_archived_beginning(const LogFolder& folder);

// Returns the first recorded anchor, at `from` or behind it, of the block that ends at `through`;
// none if there is none.
Result<std::optional<domain::MadeAnchor>> find_anchor(BlockStore& log, Position through,
                                                      Position from);

// Reads the file of the base that ends at the position, without proving it. Errors: damaged.
Result<BaseFile> read_base_file(const LogFolder& folder, Position position);

// Writes the file beside the rows that lie in the folder. Durable on return.
Result<void> write_base_file(const std::string& base_folder, const BaseFile& file, Disk& disk);

// Copies a whole base; durable on return.
Result<void> copy_base(const LogFolder& from, const LogFolder& to, Position position, Disk& disk);

// Makes verify_log begin at the base. The base must have rows and outlive `besides`.
void begin_at(const LogBase& base, VerifyBesides& besides);

// Returns "events 1 to 17 are in archive NAME, in FOLDER".
std::string where_archived(const LogBase& base);

}  // namespace eventlog
