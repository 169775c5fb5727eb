// Whether a new log may begin in the data folder. One that is empty where a log was expected is
// most often a disk that is not mounted, and a server that begins anew there would not be noticed.
#pragma once

#include <string>

#include "eventlog/base/ids.hpp"
#include "eventlog/base/result.hpp"

namespace steno {

struct ServedLog {
  std::string run_folder;    // remembers, in a file, which log was served from which data folder
  std::string data_folder;   // absolute
  bool is_expected = false;  // by whoever starts the server: a new log is refused
};

// The data folder holds no log yet, or one without an event. Error refused: a log is expected
// there, or was served from there.
base::Result<bool> check_may_begin(const ServedLog& served);

// A log that has events is served. A file that cannot be written is no reason not to.
void remember_log(const ServedLog& served, base::LogId log);

}  // namespace steno
