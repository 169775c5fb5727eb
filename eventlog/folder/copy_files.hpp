// What copies of a log have in common: they are made in folders that are new, every file of them is
// synced, and they prove themselves before anybody relies on them.
#pragma once

#include <string>

#include "eventlog/folder/open_log.hpp"

namespace eventlog {

// Makes the folder, or takes one that is empty. Error invalid: something is in it, or the folder
// above it is missing.
Result<bool> make_empty_folder(const std::string& folder, Disk& disk);

// Makes a folder of the same files, and of those in the folders below it. Nothing but the bytes is
// copied: files are 0600, folders 0700; what is neither is left out. Error io also where `to`
// holds one of these files. Nothing of it is synced for good: see sync_all.
Result<bool> copy_folder(const std::string& from, const std::string& to, Disk& disk);

// Gives the folder files of its own: each that has another name elsewhere is replaced by a copy.
// Not synced, as above.
Result<bool> part_from_others(const std::string& folder, Disk& disk);

// Every file in the folder, and then the folder.
Result<bool> sync_all(const std::string& folder, Disk& disk);

// Makes the head file; durable but for its name.
Result<bool> write_head(const LogFolder& folder, const Checkpoint& head, Disk& disk);

// With all that is in it, for good, as far as the disk lets it: a loss of power would else bring
// back what nobody knows of any more, and no erasure reaches.
void remove_durably(const std::string& path, Disk& disk);

// The folder, if nothing is left in it. Durable as above.
void remove_emptied(const std::string& folder, Disk& disk);

// Of a copy that is not whole: what its maker put there. Durable as above. The folder goes, too, if
// nothing else is in it, for that was put there by somebody else.
void remove_copy(const std::string& folder, Disk& disk);

// Does the file hold these bytes and no others? False also when it cannot be read.
bool holds(const std::string& path, ByteView bytes);

// Of a copy that has no mark yet, which is its first file (see write_whole): the folder, if it is
// empty or holds nothing but the part of that file that was written. Nothing else is touched.
// Durable as above.
void remove_unmarked(const std::string& folder, const std::string& mark, Disk& disk);

// Of a log that nobody writes.
Result<std::unique_ptr<BlockStore>> open_log_view(const std::string& folder);

// Proves the whole copy. Errors: the first thing that is amiss with it.
Result<bool> prove_copy(const LogFolder& copy);
Result<bool> to_result(const VerifyReport& report);

}  // namespace eventlog
