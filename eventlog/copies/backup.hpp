// A second copy of a log, made while the log is written, and a log made from such a copy. A copy is
// a data folder of its own with log and head file, and is read and proved like any log.
#pragma once

#include <string>

#include "eventlog/folder/data_layout.hpp"
#include "eventlog/proof/verify.hpp"

namespace eventlog {

struct BackupOutcome {
  Position through;  // last event of the copy
  base::Hash hash{};
};

struct BackupOptions {
  Disk& disk = system_disk();
  LogFolder root{};  // the log's own data folder
  // Links to the log's table files (hard links) where the file system can. That is instant and
  // takes no space, but one bad sector or stray write then hits log and backup alike.
  bool shares_files = false;
};

// Copies the log into the folder, which must be missing or empty, syncs every file, and proves the
// copy from its first block to its last. `begun` is the position of its BackupBegun, and labels the
// copy. The log can be appended to meanwhile. After an error nothing of the copy is left. Errors:
// invalid for a folder that is already in use; io; damaged when the copy, and so the log, does not
// prove itself.
Result<BackupOutcome> make_backup(BlockStore& log, const std::string& folder, Position begun,
                                  const BackupOptions& options = {});

// Proves a copy whose maker was killed before it could report that the copy is whole. Errors:
// not_found when it is missing or not whole; a copy with this label is then removed, and nothing
// else. Also those of the log.
Result<BackupOutcome> finish_backup(BlockStore& log, const std::string& folder, Position begun,
                                    Disk& disk = system_disk());

struct Restored {
  Position through;        // last event that was in the copy
  Position started;        // position of the last event of the new epoch's beginning
  std::int64_t epoch = 0;  // the new epoch's counter
};

// Makes a log in `root`, a data folder without a log, from the copy in `folder`, and begins a new
// epoch there: readers of the old log refuse the new one. The copy is proved first and not changed.
// Errors: as above; not_found when there is no copy; conflict when there is a log in `root`. The
// remains of an attempt that was cut short cannot be opened as a log, and are replaced.
Result<Restored> restore_backup(const std::string& folder, const std::string& root,
                                base::Random& random, const VerifyProgress& progress = {},
                                Disk& disk = system_disk());

}  // namespace eventlog
