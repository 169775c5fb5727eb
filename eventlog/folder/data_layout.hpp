// The layout of a data folder: where things lie in it, whether it can be used, and how it is made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/strong_integer.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

// Where things lie below a data folder. All folders have mode 0700.
struct LogFolder {
  std::string root;

  std::string log() const { return root + "/log"; }      // the block store: RocksDB
  std::string head() const { return root + "/head"; }    // how far the log was acknowledged
  std::string index() const { return root + "/index"; }  // stream index and snapshots
  std::string views() const { return root + "/views"; }  // the projections' rows
  // The content indexes, each in a folder of its name.
  std::string content() const { return root + "/content"; }
  std::string lock() const { return root + "/lock"; }  // held by the process that writes
  std::string key() const { return root + "/key"; }    // the key that anchors are signed with
  // In a log whose beginning was trimmed: see archived_base.hpp.
  std::string bases() const { return root + "/base"; }
  std::string base(base::Position through) const {
    return bases() + "/" + std::to_string(through.value);
  }
  std::string erased() const {
    return root + "/erased";
  }  // in a backup or archive: see erased_after_copy.hpp
  // In a backup: its identity, so that a folder is known to hold this very backup.
  std::string label() const { return root + "/label"; }
  // In an archive that is being made, until the record says that it is whole: the log's identity.
  std::string making() const { return root + "/making"; }
  // In a log that is made from a backup, until its new epoch has begun; before that it must not be
  // opened.
  std::string restoring() const { return root + "/restoring"; }
  // Hard links to the log's files as the last read-write open found them, because opening can
  // remove what a damaged log still holds. They are removed once the log is proved whole.
  std::string evidence() const { return root + "/evidence"; }

  // True if there is a database that could hold a log.
  bool has_log() const;
};

// True for names that can lie beside a log, or in a folder where a log is to be made. Any other
// name means that the folder is used for something else.
bool is_known_name(std::string_view name);

// Returns the files in the folder and in its log/ that belong to no log: paths from the folder,
// sorted. They are left alone.
std::vector<std::string> foreign_files(const LogFolder& folder);

// Makes the folder and its missing parents, durably, and closes the folder to other users. It must
// be new, empty or hold a log. Errors: refused when it is not writable, is another user's, or holds
// no log and everybody can write to it; invalid when there is no log and something else lies in it;
// io.
base::Result<void> prepare_data_folder(const LogFolder& folder, Disk& disk);

// Closes an existing empty folder to other users. Errors: refused when it is not writable, is
// another user's, or everybody can write to it; io.
base::Result<void> close_empty_folder(const std::string& folder);

// Makes the folders of a log and its derived rows. Call only while holding the lock. Errors: as
// above; damaged when the log's folder holds a part of a log but no CURRENT; invalid when it holds
// other files.
base::Result<void> make_log_folders(const LogFolder& folder, Disk& disk);

// Checks that this user can read the folder. Error refused, naming the owner. A missing folder is
// no error here.
base::Result<void> check_readable(const LogFolder& folder);

// Checks that no restore into the folder is unfinished. Error damaged: restoring it was cut short.
base::Result<void> check_restored(const LogFolder& folder);

// For a folder without a database: checks that the log's folder holds no part of one. Errors:
// damaged when it does; invalid when it holds files of something else.
base::Result<void> check_no_log(const LogFolder& folder);

// Call before opening the log for writing. (1) Hard-links the log's files into evidence(). (2)
// Syncs the write-ahead log and drops it from the page cache, so that no block that can still be
// lost is published or extended. The names of the links become durable when the log is opened.
// Returns false if an earlier start left evidence, because it was killed or its disk failed; that
// evidence is kept and completed. It is then not the state that one start found, so it is not put
// back: a refused start names its folder instead.
base::Result<bool> keep_evidence(const LogFolder& folder, Disk& disk);
// Call when the log is proved whole. Removes the evidence, durably on return. Otherwise content
// that is erased later could come back with it after a loss of power. Error io also when a part of
// it cannot be removed.
base::Result<void> drop_evidence(const LogFolder& folder, Disk& disk);
// Call when the log was refused and is closed. Makes the log's files those of the evidence, which
// is everything that was found, then drops the evidence. Durable on return. If putting a file back
// fails, the evidence is still complete.
base::Result<void> put_evidence_back(const LogFolder& folder, Disk& disk);

}  // namespace eventlog
