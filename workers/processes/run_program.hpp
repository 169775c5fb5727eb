// Runs a program to its end, or for so long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/time.hpp"

namespace processes {

struct ProgramOutcome {
  std::string problem;   // empty: it ended with 0. Nothing of its arguments, or of what it wrote
  std::string output;    // the beginning of what it wrote
  std::string errors{};  // likewise to stderr, where that is apart
  int exit_code = -1;    // -1: it did not exit by itself
};

// How programs are run.
struct ProgramRun {
  base::Duration limit{0};
  int stop_fd = -1;     // readable: break off
  std::string guard{};  // path of steno-keeper; empty: a program can outlive this process
  // With a guard: what the program leaves behind at its own end is ended, too.
  bool ends_tree = false;
  std::string folder{};                    // that it works in; empty: that of this process
  std::vector<std::string> environment{};  // changes that of this process, see environment_with()
  std::size_t output_max = 200;            // bytes that are kept of what it writes
  bool has_errors_apart = false;           // else stderr goes where stdout goes
};

// Searches `argv[0]` in the PATH. The program reads `input` from stdin. The guard ends it, with all
// that it started, once it has run for the limit, the stop is readable, or this process has ended.
// Without a guard it has a process group of its own, which is killed in the first two cases.
ProgramOutcome run_program(const std::vector<std::string>& argv, const ProgramRun& how,
                           std::string_view input = {});

}  // namespace processes
