// The commands that open the files of a log: what `steno-server` does and `steno` hands over to it.
// RocksDB alone takes longer to load than a client's whole work.
#pragma once

#include "tools/steno/offline/offline_commands.hpp"
#include "tools/steno/replay/replay.hpp"
#include "tools/steno/serve/serve_command.hpp"

namespace steno {

struct LogCommands {
  Outcome<int> (*doctor)(const Config&, const DoctorArguments&);
  Outcome<int> (*restore)(const Config&, const RestoreArguments&);
  int (*serve)(const Config&, const ServeArguments&);
  int (*verify)(const ReplayArguments&);
  int (*state)(const ReplayArguments&);
  int (*rebuild)(const ReplayArguments&);
  int (*salvage)(const ReplayArguments&);
  int (*export_lines)(const ReplayArguments&);
  int (*import_lines)(const ReplayArguments&);
  int (*diff)(const ReplayArguments&);
  int (*stats)(const ReplayArguments&);
};

}  // namespace steno
