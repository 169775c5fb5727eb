// A data folder as a folder: where things lie in it, whether it may be used, and how it is made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/strong.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

// Where things lie below a data folder. All folders are 0700.
struct LogFolder {
  std::string root;

  std::string log() const { return root + "/log"; }      // the block store: RocksDB
  std::string head() const { return root + "/head"; }    // how far the log was acknowledged
  std::string index() const { return root + "/index"; }  // stream index and snapshots
  std::string views() const { return root + "/views"; }  // the projections' rows
  std::string lock() const { return root + "/lock"; }    // held by the process that writes
  std::string key() const { return root + "/key"; }      // that anchors are signed with
  // Of a log whose beginning was trimmed: see log_base.hpp.
  std::string bases() const { return root + "/base"; }
  std::string base(base::Position through) const {
    return bases() + "/" + std::to_string(through.value);
  }
  std::string erased() const { return root + "/erased"; }  // of a backup: see later_erasures.hpp
  // Of a backup: which one it is, so that what lies in its folder is known to be it.
  std::string label() const { return root + "/label"; }
  // Of an archive, until the record says that it is whole: which log it is of.
  std::string making() const { return root + "/making"; }
  // Of a log that is made of a backup, until its new epoch has begun: before, it is not to be
  // opened.
  std::string restoring() const { return root + "/restoring"; }
  // Hard links to the log's files as the last read-write open found them, because opening may
  // remove what a damaged one still holds. They go once the log is proved whole.
  std::string evidence() const { return root + "/evidence"; }

  // Is there a database that a log can be in?
  bool has_log() const;
};

// What may lie beside a log, and in a folder that a log is to be made in; anything else there means
// that the folder is something else's.
bool is_known_name(std::string_view name);

// What lies in the folder, or in its log/, and is no part of one: paths from the folder, sorted. It
// is left alone.
std::vector<std::string> foreign_files(const LogFolder& folder);

// Makes the folder and those above it that are missing, durably, and closes it to other users: one
// that it made, that holds a log, or that is empty. Errors: refused when it may not be written, is
// another user's, or holds no log and may be written by everybody; invalid when there is no log and
// something else lies in it; io.
base::Result<bool> prepare_data_folder(const LogFolder& folder, Disk& disk);

// Closes a folder to other users that is there and empty. Errors: refused when it may not be
// written, is another user's, or may be written by everybody; io.
base::Result<bool> close_empty_folder(const std::string& folder);

// Makes the folders that a log and its derived rows lie in. Only by the holder of the lock. Errors:
// as above; damaged when the log's folder holds a part of a log.
base::Result<bool> make_log_folders(const LogFolder& folder, Disk& disk);

// May this user read what is in it? Error refused, saying whose it is. A folder that is not there
// is for others to find.
base::Result<bool> check_readable(const LogFolder& folder);

// Is the log whole, if it was made of a backup? Error damaged: restoring it was cut short.
base::Result<bool> check_restored(const LogFolder& folder);

// Where there is no database: does the log's folder hold a part of one all the same? Error damaged:
// it does; invalid: it holds files of something else.
base::Result<bool> check_no_log(const LogFolder& folder);

// To be called before the log is opened for writing. Links the log's files into evidence(), then
// makes what is found of the write-ahead log durable, and drops it from the page cache: a server
// that was killed may have left its last block there alone, and a block that can still be lost must
// neither be told to anybody nor built upon. Its names become durable when the log is opened.
// False: evidence is there already, of a start that was killed or that a failing disk ended; it
// stays, and what it lacks is added. Since it is then no longer what one start has found, it is
// not put back: a refused start names its folder instead.
base::Result<bool> keep_evidence(const LogFolder& folder, Disk& disk);
// The log is proved whole: its evidence is not needed, and gone for good when it returns. What is
// erased later would else be there again after a loss of power. Error io also when something of it
// cannot be removed.
base::Result<bool> drop_evidence(const LogFolder& folder, Disk& disk);
// The log is refused, and closed: makes its files those of the evidence, which is all that was
// found, and drops it then. Durable when it returns; on an error the evidence is all there still.
base::Result<bool> put_evidence_back(const LogFolder& folder, Disk& disk);

}  // namespace eventlog
