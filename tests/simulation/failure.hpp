// Makes a failing schedule understandable: cut down, with how to repeat it and what happened in it.
#pragma once

#include <string>

#include "tests/simulation/schedule.hpp"

namespace simulation {

// What broke, the commit, the command that repeats it, the shortest schedule found that fails, and
// the end of that one's trace, `trace_lines` at most. `played` is what steno-simulate was told to
// play: "--seed 7".
std::string explain(const Schedule& failing, const std::string& played, std::size_t trace_lines);

}  // namespace simulation
