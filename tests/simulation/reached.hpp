// Everything that a run of many worlds must have reached, or it proved nothing: every kind of
// fault, every marked rare branch of the product, and every listed consequence.
#pragma once

#include <string>
#include <vector>

#include "tests/simulation/counts.hpp"

namespace simulation {

// This many worlds reach everything.
constexpr std::uint64_t kWorldsToReachAll = 10'000;

// Returns how often each marked branch was taken in this process since the last call, as "rare:
// <name>".
Counts take_rare_branches();

// Returns the names of everything that must be reached and was not.
std::vector<std::string> not_reached(const Counts& counts);

}  // namespace simulation
