// Whether a log still lies where it was opened. A process keeps the files that it has open, so
// after `rm -r`, a move or an unmount it could go on writing what nobody will ever find.
//
// The promise: a block is acknowledged only if log/CURRENT was looked up under its path after the
// block's sync, and was the file of the same log. So nothing is acknowledged that was synced after
// the log had been removed, moved, replaced or unmounted. That the head file is in its place is
// looked at each kHeadLook. Not noticed: single table files that are removed while CURRENT stays.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>

#include "eventlog/folder/data_layout.hpp"
#include "eventlog/store/head_file.hpp"

namespace eventlog {

// The looks at the folder and at CURRENT are a stat each for each block, a thousandth of its sync.
constexpr std::chrono::milliseconds kHeadLook{100};

class LogPlace {
 public:
  // Of a log that is open and has a head file. Errors: refused, io.
  static Result<LogPlace> of(const LogFolder& folder);

  // Error io: what lies there is not the log that is open. Used by the committing thread only.
  Result<bool> check();

 private:
  struct File {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const File&) const = default;
  };
  explicit LogPlace(LogFolder folder) : folder_(std::move(folder)) {}
  static Result<File> look_at(const std::string& path);
  Result<bool> check_same(const std::string& path, const File& known) const;
  base::Error lost(const std::string& path) const;

  LogFolder folder_;
  File log_;  // the folder
  File head_;
  std::chrono::steady_clock::time_point head_due_{};
};

// A head file whose writes fail once the log is not in its place any more. It is written between a
// block's sync and its acknowledgement.
std::unique_ptr<HeadFile> watch_place(std::unique_ptr<HeadFile> head, LogPlace place);

}  // namespace eventlog
