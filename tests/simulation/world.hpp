// A whole Steno in one thread on virtual time: server, workers, agents, clients and subscribers,
// over a bus and a disk that fail as a schedule says. The same schedule gives the same run on every
// machine.
#pragma once

#include <string>
#include <vector>

#include "tests/simulation/counts.hpp"
#include "tests/simulation/schedule.hpp"

namespace simulation {

struct Outcome {
  std::string violation;           // empty: every check held
  std::vector<std::string> trace;  // what happened, a line each; only when it was asked for
  Counts counts;
};

enum class Tracing { off, on };

// Plays the schedule, then heals everything and waits until the world has settled: every client
// answered, every turn ended, every lease of a closed session ended, every subscriber at the end.
Outcome run(const Schedule& schedule, Tracing tracing = Tracing::off);

}  // namespace simulation
