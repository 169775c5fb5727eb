// The command line of `steno` and `steno-server`.
#pragma once

#include "tools/steno/log_commands.hpp"

namespace steno {

struct CommandLine;

// The commands that need no log of their own. A program that does not name this function does not
// hold their code.
void add_client_commands(CommandLine& line);
// The commands that open a log.
void add_log_commands(CommandLine& line);

struct CommandLineParts {
  // Those that open a log; null: for them the process becomes `steno-server` with the same
  // arguments.
  const LogCommands* log_commands = nullptr;
  void (*add_others)(CommandLine& line) = nullptr;  // null: there are no others
};

// Runs the command that the arguments of main() name, and returns the program's exit code.
int run_command_line(int argc, char** argv, const CommandLineParts& parts);

}  // namespace steno
