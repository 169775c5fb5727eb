// Makes a failing schedule understandable: cut down, with how to repeat it and what happened in it.
#pragma once

#include <string>

#include "tests/simulation/schedule.hpp"

namespace simulation {

// What broke, the commit, the commands that repeat it, the shortest schedule found that fails, and
// the end of that one's trace, `trace_lines` at most.
std::string explain(const Schedule& failing, std::size_t trace_lines);

}  // namespace simulation
