// Watches the agents' processes of one home from a separate process, which looks every 50 ms
// whatever the test is doing. When the test is gone, it ends every process of the home; the end of
// a pipe tells it, however the test ended.
#pragma once

#include <sys/types.h>

#include <string>

#include "eventlog/base/result.hpp"
#include "eventlog/base/time.hpp"
#include "eventlog/base/unique_fd.hpp"

namespace crash {

using base::Duration;
using base::Result;

// The environment variable that names the home in every process started for it.
inline constexpr std::string_view kHomeMarker = "STENO_TEST_HOME";

struct WatchReport {
  std::int64_t orphans = 0;         // without an owner for longer than 2 s
  std::int64_t doubles = 0;         // sessions of which two agents ran at once
  std::int64_t ownerless = 0;       // processes that were without an owner at some time
  std::int64_t slowest_ms = 0;      // the longest that one was, at most
  std::int64_t longest_gap_ms = 0;  // between two looks
  std::string text;                 // a line for each orphan and double

  bool is_clean() const { return orphans == 0 && doubles == 0; }
};

class ProcessWatch {
 public:
  // Starts watching; aborts the test when that fails. `home` is an absolute path.
  explicit ProcessWatch(const std::string& home);
  // Ends the watching process, and with it every process of the home.
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  pid_t pid() const { return pid_; }
  // Restarts every count of time without an owner: before, nobody was able to end the processes.
  void excuse();
  // Time without an owner does not count until excuse().
  void pause();
  // Returns the findings since the beginning, after one more look.
  Result<WatchReport> report();

 private:
  pid_t pid_ = 0;
  base::UniqueFd orders_;
  base::UniqueFd answers_;
};

}  // namespace crash
