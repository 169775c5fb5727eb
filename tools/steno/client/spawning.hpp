// Commands that open sessions share these.
#pragma once

#include <string>

#include "eventlog/domain/types.hpp"
#include "tools/steno/client/line_input.hpp"
#include "tools/steno/config/config.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

// Returns the settings of a new session, as far as the configuration has them.
domain::SessionSpec spec_of(const Config& config);

// Reads at most enough to see that a prompt is too long, since stdin may never end.
std::string read_all(LineInput& input);

// Returns the prompt; "-" is read from stdin. Fails for one that the server would refuse.
Outcome<std::string> prompt_of(const std::string& argument);

// Fails for a prompt that the server would refuse, before sending it.
Outcome<bool> check_prompt(const std::string& prompt);

// Fails if the working folder is missing: otherwise the session would only fail when its agent
// starts. The server runs on this machine, so the check is valid for it.
Outcome<bool> check_workdir(const std::string& workdir);

}  // namespace steno
