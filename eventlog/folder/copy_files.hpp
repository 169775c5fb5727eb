// The steps that all copies of a log share. They are made in new folders, every file is synced, and
// they are proved before anything relies on them.
#pragma once

#include <string>

#include "eventlog/folder/open_log.hpp"

namespace eventlog {

// Makes the folder, or takes an empty one. Errors: invalid when something is in it or its parent is
// missing; those of close_empty_folder.
Result<void> make_empty_folder(const std::string& folder, Disk& disk);

// Copies the folder's files, and those in the folders below it, into `to`, which is made if it is
// missing. Only bytes are copied: files get mode 0600, folders 0700. Other kinds of files, and
// RocksDB's LOCK, are left out. Error io also when `to` already holds one of the files. The copy is
// not synced for good: see sync_all.
Result<void> copy_folder(const std::string& from, const std::string& to, Disk& disk);

// Gives the folder files of its own: each file with a hard link elsewhere is replaced by a copy.
// The folder is not synced.
Result<void> part_from_others(const std::string& folder, Disk& disk);

// Syncs every file in the folder, and then the folder; folders below it are left out.
Result<void> sync_all(const std::string& folder, Disk& disk);

// Writes the head file. Its bytes are durable on return, its name is not.
Result<void> write_head(const LogFolder& folder, const Checkpoint& head, Disk& disk);

// Removes the path with everything in it, durably, best effort. Otherwise a loss of power could
// bring back files that no record names and no erasure reaches.
void remove_durably(const std::string& path, Disk& disk);

// Removes the folder if it is empty. Durable as above.
void remove_emptied(const std::string& folder, Disk& disk);

// Removes the files of an incomplete copy, then the folder if it is empty: other files in it were
// put there by somebody else. Durable as above.
void remove_copy(const std::string& folder, Disk& disk);

// True if the file holds exactly these bytes; false also when it cannot be read.
bool holds(const std::string& path, ByteView bytes);

// Removes the folder of a copy that never got its mark file, which is its first (see write_whole).
// Does so only if the folder is empty or contains just the partial mark; otherwise does nothing.
// Durable as above.
void remove_unmarked(const std::string& folder, const std::string& mark, Disk& disk);

// Opens a log that no process writes.
Result<std::unique_ptr<BlockStore>> open_log_view(const std::string& folder);

// Proves the whole copy. Errors: the first problem that is found.
Result<void> prove_copy(const LogFolder& copy);
Result<void> to_result(const VerifyReport& report);

}  // namespace eventlog
