// A whole Steno in one thread on virtual time: server, workers, agents, clients and subscribers,
// over a bus and a disk that fail as a schedule says. A schedule gives the same run on every
// machine.
#pragma once

#include <string>
#include <vector>

#include "tests/simulation/counts.hpp"
#include "tests/simulation/schedule.hpp"

namespace simulation {

struct Outcome {
  std::string violation;           // empty: every check held
  std::vector<std::string> trace;  // one line for each thing that happened, if asked for
  Counts counts;
};

enum class Tracing { off, on };

// Plays the schedule, then heals everything and waits until the world has settled. Settled means:
// every client is answered, every turn and every lease of a closed session has ended, and every
// subscriber is at the end.
Outcome run(const Schedule& schedule, Tracing tracing = Tracing::off);

}  // namespace simulation
