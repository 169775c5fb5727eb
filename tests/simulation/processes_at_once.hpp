// Plays seeds in several processes at once. Each takes the next few when it has done its last ones,
// so that what has been played is always everything from the first seed on, but for a violation.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/simulation/counts.hpp"

namespace simulation {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 1;
  std::chrono::duration<double> time{0};  // more than 0: as many as it allows, not `count`
};

struct Played {
  std::uint64_t worlds = 0;
  std::uint64_t violations = 0;     // deaths included
  bool has_failed = false;          // not all processes could be started
  std::vector<std::string> deaths;  // how each process ended that died, and what it played
  Counts counts;
};

// In one of the processes: plays the seed and adds to its counts. False: a promise was broken,
// which it has explained; nobody takes further seeds then.
using PlaySeed = std::function<bool(std::uint64_t seed, Counts& counts)>;
// In the calling process, about once a second: how many worlds have been played so far.
using TellProgress = std::function<void(std::uint64_t worlds)>;

constexpr unsigned kProcessesMax = 256;

// Returns when all processes have ended. To be called by a process of one thread; at most
// kProcessesMax are started.
Played play_in_processes(const Seeds& seeds, unsigned processes, const PlaySeed& play,
                         const TellProgress& tell);

}  // namespace simulation
