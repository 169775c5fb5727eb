// Explains a failing schedule: the shortest form, the command that repeats it, and its events.
#pragma once

#include <string>

#include "tests/simulation/schedule.hpp"

namespace simulation {

// Returns the violation, the commit, the command that repeats it, the shortest failing schedule
// found, and the last `trace_lines` lines of that schedule's trace. `played` is the option that
// steno-simulate was given, such as "--seed 7".
std::string explain(const Schedule& failing, const std::string& played, std::size_t trace_lines);

}  // namespace simulation
