// Runs a program to its end, or for so long.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/time.hpp"

namespace workers {

// Searches `argv[0]` in the PATH. The program reads nothing, and has the environment of this
// process and a process group of its own. Its group is killed once it has run for `limit`, or
// `stop_fd` is readable. Returns what went wrong, with the beginning of what it wrote; empty: it
// ended with 0.
std::string run_program(const std::vector<std::string>& argv, base::Duration limit, int stop_fd);

}  // namespace workers
