// Cuts a failing schedule down to what it fails with: fewer faults, clients and commands.
#pragma once

#include <functional>

#include "tests/simulation/schedule.hpp"

namespace simulation {

// `fails` tells whether a schedule still fails; it is called a few hundred times at most. Returns a
// schedule that fails, of which no single fault can be left out (delta debugging: Zeller and
// Hildebrandt 2002, ddmin).
Schedule shrink(Schedule failing, const std::function<bool(const Schedule&)>& fails);

}  // namespace simulation
