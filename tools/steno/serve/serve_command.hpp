// `steno serve`: runs this machine's roles until it is told to stop.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "tools/steno/config/config.hpp"

namespace steno {

struct ServeArguments {
  std::string role;  // "server" or "worker": only that role; empty: all roles of this machine
  bool is_to_detach = false;  // start the server by itself, and return when it is ready
  bool is_detached = false;   // this is the server that was started so
  bool accept_clock = false;
  bool needs_log = false;        // refuse a data folder without a log
  std::int64_t agent_files = 0;  // files that the worker and its agents can have open; 0: unchanged
  mode_t agent_umask = 0;        // for files that agents make, which belong to the user
};

// Returns an exit code.
int serve(const Config& config, const ServeArguments& arguments);

}  // namespace steno
