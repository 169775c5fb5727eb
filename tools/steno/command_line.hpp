// The command line of `steno` and `steno-server`, which is the same.
#pragma once

#include "tools/steno/log_commands.hpp"

namespace steno {

// Runs the command that the arguments of main() name, and returns the program's exit code. Commands
// that open a log are those of `log_commands`; without these, the process becomes `steno-server`
// with the same arguments.
int run_command_line(int argc, char** argv, const LogCommands* log_commands);

}  // namespace steno
