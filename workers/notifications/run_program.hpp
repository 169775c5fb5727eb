// Runs a program to its end, or for so long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/time.hpp"

namespace workers {

struct ProgramOutcome {
  std::string problem;  // empty: it ended with 0. Nothing of its arguments, or of what it wrote
  std::string output;   // the beginning of what it wrote
};

// Searches `argv[0]` in the PATH. The program reads `input` from stdin, and has the environment of
// this process and a process group of its own. Its group is killed once it has run for `limit`, or
// `stop_fd` is readable.
ProgramOutcome run_program(const std::vector<std::string>& argv, base::Duration limit, int stop_fd,
                           std::string_view input = {});

}  // namespace workers
