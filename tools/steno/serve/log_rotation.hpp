// Bounds the size of the file that a process logs to.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"
#include "eventlog/base/time.hpp"

namespace steno {

// For a process whose stderr is a file that it alone writes. Used by one thread.
class LogRotation {
 public:
  // Two files of this size at most, plus the output of one interval.
  static constexpr std::int64_t kBytesMax = std::int64_t{8} << 20;
  static constexpr base::Duration kLookEvery = std::chrono::seconds(10);

  // Does nothing if stderr is not that file, as in a terminal.
  explicit LogRotation(std::string path) : path_(std::move(path)) {}

  // Renames a file that has become too large to "<path>.1", replacing the one before it, and
  // continues in a new one. Makes the file again if it was removed.
  void do_work(base::Duration now);

 private:
  const std::string path_;
  base::Duration look_at_{0};
};

// Renames the file likewise, if it is too large, before a process is started that logs to it. One
// that dies at once never gets to do so itself.
void rotate_before_start(const std::string& path);

// Keeps the log of a process that runs and does not rotate it itself: copies a file that is twice
// as large as that to "<path>.1" and empties it. The process must append to it. What it writes
// between the two steps is lost.
void empty_large_log(const std::string& path);

}  // namespace steno
