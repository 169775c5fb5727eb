// Commands that open the files of a log, and need no server.
#pragma once

#include <string>

#include "tools/steno/config/config.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

struct RestoreArguments {
  std::string folder;  // a backup
  std::string home;    // of the new log
};
Outcome<int> restore(const Config& config, const RestoreArguments& arguments);

struct DoctorArguments {
  bool shows_flight = false;  // print only the last steps of the server's loop
  bool is_verbose = false;    // also print the server's latencies
};
Outcome<int> doctor(const Config& config, const DoctorArguments& arguments);
// `doctor --flight`
Outcome<int> show_flight(const Config& config);

}  // namespace steno
