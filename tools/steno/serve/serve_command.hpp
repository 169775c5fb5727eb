// `steno serve`: runs the roles of this machine until it is told to stop.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "tools/steno/config/config.hpp"

namespace steno {

struct ServeArguments {
  std::string role;  // "server" or "worker": that one alone; empty: all roles of this machine
  bool accept_clock = false;
  bool needs_log = false;        // a data folder without a log is refused
  std::int64_t agent_files = 0;  // that the worker and its agents may have open; 0: as it is
  mode_t agent_umask = 0;        // for the files that agents make, which are not ours
};

// Returns an exit code.
int serve(const Config& config, const ServeArguments& arguments);

}  // namespace steno
