// Checks that a log still lies where it was opened. A process keeps its open files. So after a
// removal (`rm -r`), a move or an unmount it could go on writing files that nobody can find.
//
// The promise: a block is acknowledged only if log/CURRENT was found under its path after the
// block's sync, in the same folder as at opening. So no block is acknowledged that was synced after
// the log had been removed, moved, replaced or unmounted. The head file's place is checked once
// each kHeadLook. Single table files that are removed while CURRENT stays go unnoticed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "eventlog/folder/data_layout.hpp"
#include "eventlog/store/head_file.hpp"

namespace eventlog {

// CURRENT costs one stat for each block, a thousandth of its sync; the head file is checked this
// often.
constexpr std::chrono::milliseconds kHeadLook{100};

class LogPlace {
 public:
  // For an open log that has a head file. Errors: refused, io.
  static Result<LogPlace> of(const LogFolder& folder);

  // Error io: the log in this place is not the one that is open. Used by the committing thread
  // only.
  Result<void> check();

 private:
  struct File {
    dev_t device = 0;
    ino_t inode = 0;
    nlink_t links = 0;
    // When the file was last linked, renamed or otherwise changed.
    std::int64_t changed_s = 0;
    std::int64_t changed_ns = 0;

    bool is_same(const File& other) const { return device == other.device && inode == other.inode; }
    // True if the file is in the folder that it was in: it has one name, and still has it.
    bool has_stayed(const File& before) const {
      return is_same(before) && links == 1 && changed_s == before.changed_s &&
             changed_ns == before.changed_ns;
    }
  };
  explicit LogPlace(LogFolder folder)
      : folder_(std::move(folder)), current_path_(folder_.log() + "/CURRENT") {}
  static Result<File> look_at(const std::string& path);
  Result<void> check_same(const std::string& path, const File& known) const;
  base::Error lost(const std::string& path) const;

  LogFolder folder_;
  std::string current_path_;
  File current_;  // as it was when the folder was last checked
  File log_;      // the folder
  File head_;
  std::chrono::steady_clock::time_point head_due_{};
};

// Returns a head file whose writes fail once the log is no longer in its place. The head is written
// between a block's sync and its acknowledgement.
std::unique_ptr<HeadFile> watch_place(std::unique_ptr<HeadFile> head, LogPlace place);

}  // namespace eventlog
