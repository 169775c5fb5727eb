// Which server a client means, and where it listens. A run folder that is set comes first, then
// what the server of the data folder says, then the default.
#pragma once

#include <string>

#include "tools/steno/config/config.hpp"
#include "workers/client/server_place.hpp"

namespace steno {

struct FoundServer {
  workers::DataHolder holder;  // of the data folder
  std::string run_folder;      // where a client looks for the sockets
};

FoundServer find_server(const Config& config);

// Returns why nobody listens there, and what to do: starts it, waits for it, or names the process
// that has the log and the folder that it listens in.
std::string unreachable_text(const Config& config, const FoundServer& found);

// Returns the command line with this command: "steno --home /tmp/try serve".
std::string command_text(const Config& config, std::string_view command);

}  // namespace steno
