// Decides whether a new log can begin in the data folder. An empty folder where a log was expected
// is most often a disk that is not mounted; a new log there would go unnoticed.
#pragma once

#include <string>

#include "eventlog/base/ids.hpp"
#include "eventlog/base/result.hpp"

namespace steno {

struct ServedLog {
  std::string run_folder;    // holds the file that remembers the log served from a data folder
  std::string data_folder;   // absolute
  bool is_expected = false;  // the caller expects a log: a new one is refused
};

// Call it if the data folder holds no log, or one without an event. Error refused: a log is
// expected there, or was served from there.
base::Result<void> check_may_begin(const ServedLog& served);

// Remembers the log, which must have events. Best effort: a file that cannot be written is ignored.
void remember_log(const ServedLog& served, base::LogId log);

}  // namespace steno
