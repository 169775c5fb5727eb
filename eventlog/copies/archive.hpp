// The beginning of a log as a copy of its own, so that it can be removed from the log itself. An
// archive is a data folder, like a backup, and is read and proved like any log. It begins where the
// log begins: at position 1, or behind the base, which is copied along. It ends with the block that
// an anchor names.
#pragma once

#include <optional>
#include <string>

#include "eventlog/folder/archived_base.hpp"

namespace eventlog {

struct ArchiveOutcome {
  Position first;
  Position through;
};

// Copies the blocks up to `end`, which must be the end of one, with their contents into the folder,
// which must be missing or empty. Syncs every file, and proves the copy from its first block to its
// last. `log` must be that of `root`. It can be appended to meanwhile, but nothing must be erased
// from it. After an error nothing of the copy is left. Errors: invalid for a folder that is already
// in use; damaged when the copy, and so the log, does not prove itself; io. Until finish_archive()
// the folder is marked as an archive of this log in the making.
Result<ArchiveOutcome> make_archive(BlockStore& log, const LogFolder& root, const Checkpoint& end,
                                    const std::string& folder, Disk& disk = system_disk());

// Removes the mark. Call it once the record says that the archive is whole.
Result<void> finish_archive(const std::string& folder, Disk& disk = system_disk());

// Removes an unfinished archive of this log, even if only its folder was made. Other files in the
// folder were put there by somebody else, and stay.
void remove_archive(const std::string& folder, base::LogId log, Disk& disk = system_disk());

// Removes from the log the blocks and chunks that the archive in the folder holds, and makes sure
// that no file of the log still holds them. Idempotent, also after a partial run. Errors: damaged
// when the archive does not end with the block that `end` names, and then nothing is removed; busy
// as in BlockStore::scrub; the stores'.
Result<void> trim_log(BlockStore& log, const Checkpoint& end, const std::string& folder);

}  // namespace eventlog
