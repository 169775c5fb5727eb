// `steno replay`: reads a log folder offline, and never repairs in place.
#pragma once

#include <string>

#include "tools/steno/config.hpp"

namespace steno {

struct ReplayArguments {
  std::string log_folder;  // empty: the configuration's data folder
  std::string at;          // state: a position or a time; empty: the end
  std::string session;     // state: id or alias; empty: all
  std::string projection;  // rebuild: its name; empty: all
  std::string to;          // rebuild: a position; empty: the end
  std::string into;        // rebuild: folder of the new rows; empty: beside the log
};

// Each returns an exit code.
int replay_verify(const Config& config, const ReplayArguments& arguments);
int replay_state(const Config& config, const ReplayArguments& arguments);
int replay_rebuild(const Config& config, const ReplayArguments& arguments);

}  // namespace steno
