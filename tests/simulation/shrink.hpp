// Shrinks a failing schedule: fewer faults, clients and commands that still fail.
#pragma once

#include <functional>

#include "tests/simulation/schedule.hpp"

namespace simulation {

// `fails` says whether a schedule still fails; it is called a few hundred times at most. Returns a
// failing schedule from which, within that bound, no single fault could be removed (delta
// debugging: Zeller and Hildebrandt 2002, ddmin).
Schedule shrink(Schedule failing, const std::function<bool(const Schedule&)>& fails);

}  // namespace simulation
