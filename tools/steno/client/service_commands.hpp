// `steno service`: the server as a unit of the user's systemd.
#pragma once

#include "tools/steno/client/own_commands.hpp"
#include "tools/steno/config/config.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

// Writes a unit that runs `serve` with the settings of this command line, and starts it, now and
// with the machine. kExitRefused: no systemd answers; kExitConflict: a server runs that is no
// service.
Outcome<int> service_install(const Config& config, const NoArguments&);

// Stops the service and removes its unit. What it has recorded stays. kExitNotFound: there is none.
Outcome<int> service_uninstall(const Config& config, const NoArguments&);

// kExitUnreachable: it does not run.
Outcome<int> service_status(const Config& config, const NoArguments&);

struct ServiceLogsArguments {
  std::int64_t count = 100;  // lines
  bool is_followed = false;
};
// Becomes journalctl.
Outcome<int> service_logs(const Config& config, const ServiceLogsArguments& arguments);

}  // namespace steno
