// The beginning of a log as a copy of its own, so that it can be removed from the log itself. An
// archive is a data folder, like a backup: whatever reads or proves a log does the same with it. It
// begins where the log begins (at position 1, or behind the base that is copied along) and ends
// with the block that an anchor names.
#pragma once

#include <optional>
#include <string>

#include "eventlog/folder/archived_base.hpp"

namespace eventlog {

struct ArchiveOutcome {
  Position first;
  Position through;
};

// Copies the blocks up to `end`, which is the end of one of them, with their contents into the
// folder, which must be missing or empty; syncs every file, and proves the copy from its first
// block to its last. `log` is that of `root`; it may be appended to meanwhile, and nothing may be
// erased from it. On an error nothing of the copy is left. Errors: invalid for a folder that is in
// use for something; damaged when the copy, and with it the log, does not prove itself; io.
// Until finish_archive() the folder is marked as one that is being made of this log.
Result<ArchiveOutcome> make_archive(BlockStore& log, const LogFolder& root, const Checkpoint& end,
                                    const std::string& folder, Disk& disk = system_disk());

// The record says that the archive is whole.
Result<bool> finish_archive(const std::string& folder, Disk& disk = system_disk());

// Removes an archive of this log that was not finished, also when only its folder had been made.
// Whatever else is in the folder was put there by somebody else, and stays.
void remove_archive(const std::string& folder, base::LogId log, Disk& disk = system_disk());

// Removes from the log what the archive in the folder holds, and makes sure that no file of the log
// holds it any more. Done again, also after a part of it, it has the same outcome. Errors: damaged
// when the archive does not end with the block that `end` names, and then nothing is removed; busy
// as of BlockStore::scrub; the stores'.
Result<bool> trim_log(BlockStore& log, const Checkpoint& end, const std::string& folder);

}  // namespace eventlog
