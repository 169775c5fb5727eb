// Runs a program that a person talks to, in this process's place at the terminal.
#pragma once

#include <string>
#include <vector>

namespace steno {

struct TerminalRun {
  std::string folder{};                    // that it works in; empty: that of this process
  std::vector<std::string> environment{};  // as processes::environment_with() has it
  bool takes_terminal = false;             // where a pipe stands in its place
};

struct TerminalEnd {
  std::string problem{};  // why it did not run to its end; empty: it exited, or a signal ended it
  int exit_code = -1;     // -1: it did not exit by itself
  int signal = 0;         // that has ended it; 0: none
};

// Searches `argv[0]` in the PATH. Ctrl-C and Ctrl-\ are left to the program while it runs.
TerminalEnd run_on_terminal(const std::vector<std::string>& argv, const TerminalRun& how);

}  // namespace steno
