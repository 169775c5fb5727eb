// What a run of many worlds must have reached, or it proved nothing: every kind of fault, every
// rare branch of the product that is marked, and every event.
#pragma once

#include <string>
#include <vector>

#include "tests/simulation/counts.hpp"

namespace simulation {

// So many worlds reach everything that there is.
constexpr std::uint64_t kWorldsToReachAll = 10'000;

// How often each marked branch was taken in this process since the last call, as "rare: <name>".
Counts take_rare_branches();

// Names of what must be reached and was not.
std::vector<std::string> not_reached(const Counts& counts);

}  // namespace simulation
