// Prompts from the command line and from stdin.
#pragma once

#include <string>

#include "tools/steno/client/line_input.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

// Reads at most enough to see that a prompt is too long, since stdin may never end.
std::string read_all(LineInput& input);

// Returns the prompt; "-" is read from stdin. Fails for one that the server would refuse.
Outcome<std::string> prompt_of(const std::string& argument);

}  // namespace steno
