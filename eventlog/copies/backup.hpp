// A second copy of a log, made while the log is written, and a log made from such a copy. A copy is
// a data folder of its own (log and head file), so that whatever reads or proves a log does the
// same with it.
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
  // Table files of the log are taken by another name (a hard link) where the file system can: at
  // once and without space, but one bad sector, or one stray write, then hits log and backup alike.
  bool shares_files = false;
};

// Copies the log into the folder, which must be missing or empty, syncs every file of it, and
// proves the copy from its first block to its last. `begun`: the position of its BackupBegun, by
// which the copy is labelled. On an error nothing of it is left. The log may be appended to
// meanwhile. Errors: invalid for a folder that is in use for something; io; damaged when the copy,
// and with it the log, does not prove itself.
Result<BackupOutcome> make_backup(BlockStore& log, const std::string& folder, Position begun,
                                  const BackupOptions& options = {});

// A copy whose maker was killed before it could tell that it is whole. Errors: as above; not_found
// when it is not whole, or not there: what is labelled as it is removed, and nothing else.
Result<BackupOutcome> finish_backup(BlockStore& log, const std::string& folder, Position begun,
                                    Disk& disk = system_disk());

struct Restored {
  Position through;        // last event that was in the copy
  Position started;        // of the last event that begins the new epoch
  std::int64_t epoch = 0;  // the new one
};

// Makes a log in `root`, a data folder that has none, of what the copy in `folder` holds, and
// begins a new epoch there: whoever followed the old log refuses the new one. The copy is proved
// first and not changed. Errors: as above; not_found when there is no copy; conflict when there is
// a log in `root`. What an attempt that was cut short left there is no log, which nobody opens, and
// is replaced.
Result<Restored> restore_backup(const std::string& folder, const std::string& root,
                                base::Random& random, const VerifyProgress& progress = {},
                                Disk& disk = system_disk());

}  // namespace eventlog
