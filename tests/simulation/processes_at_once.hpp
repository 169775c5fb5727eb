// Plays seeds in several processes at once. Each takes the next few after its last ones. Unless a
// violation ends the run, the played seeds are always all from the first one on.
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
  std::chrono::duration<double> time{0};  // above 0: as many as fit, not `count`
};

struct Played {
  std::uint64_t worlds = 0;
  std::uint64_t violations = 0;     // deaths included
  bool has_failed = false;          // not all processes could be started
  std::vector<std::string> deaths;  // how each dead process ended, and its seed
  Counts counts;
};

// Called in one of the processes: plays the seed and adds to its counts. False: a promise was
// broken, and the call has explained it; no process takes further seeds then.
using PlaySeed = std::function<bool(std::uint64_t seed, Counts& counts)>;
// Called in the calling process about once a second, with the number of worlds played so far.
using TellProgress = std::function<void(std::uint64_t worlds)>;

constexpr unsigned kProcessesMax = 256;

// Returns when all processes have ended. Call it from a process with one thread. Starts at most
// kProcessesMax processes.
Played play_in_processes(const Seeds& seeds, unsigned processes, const PlaySeed& play,
                         const TellProgress& tell);

}  // namespace simulation
