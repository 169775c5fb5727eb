// The lock file that says whether a session's process tree still lives. An open-file-description
// lock (fcntl F_OFD_SETLK), because it can be asked about without being taken and the kernel
// releases it however its holder ends. A lock file is never deleted: the name of a deleted file
// could be locked a second time while the first holder still lives.
#pragma once

#include <string>
#include <utility>

#include "eventlog/base/result.hpp"
#include "workers/engines/unique_fd.hpp"

namespace engines {

using base::Result;

// An exclusive lock, held until destruction. Also "one server per folder" and "one worker per
// folder". Children started meanwhile do not inherit it, but a fork without exec would.
class FileLock {
 public:
  // Creates the file (mode 0600) when it is missing. Never waits: `in_use` when somebody holds the
  // lock, this process included; `not_found` when the folder is missing; `refused` without rights.
  static Result<FileLock> take(const std::string& path);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

// True while anybody holds the lock. A missing file is not locked. The answer is old at once: only
// take() decides.
Result<bool> is_locked(const std::string& path);

}  // namespace engines
