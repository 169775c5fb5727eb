// `stop`, `status` and `restart`: about the server as a process.
#pragma once

#include "tools/steno/client/own_commands.hpp"
#include "tools/steno/config/config.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

struct StopArguments {
  bool is_now = false;  // turns under way get no time to end
};

// Ends the server of the data folder, and waits for its end. kExitUnreachable: none runs.
Outcome<int> stop_server(const Config& config, const StopArguments& arguments);

// Prints who serves the data folder, and from where. kExitUnreachable: nobody does.
Outcome<int> show_status(const Config& config, const NoArguments&);

// Ends the server likewise, and starts it with the same arguments and environment, detached from
// the terminal. Without a server it starts one with this command's settings.
Outcome<int> restart_server(const Config& config, const StopArguments& arguments);

}  // namespace steno
