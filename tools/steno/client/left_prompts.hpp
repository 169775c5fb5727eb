// The prompts that still waited when a session ended.
#pragma once

#include <string>
#include <vector>

#include "projections/views/session_list.hpp"
#include "tools/steno/connection/connection.hpp"

namespace steno {

struct LeftPrompt {
  std::string text;  // can be empty if there are files
  domain::PromptFiles files;
};

// Returns the prompts that were accepted for the ended session and given to no agent, in order.
// Says on stderr how many of them, or of their files, were erased. Failure: the session has not
// ended, or its events cannot be read.
Outcome<std::vector<LeftPrompt>> left_prompts(Connection& connection,
                                              const projections::SessionRow& ended);

}  // namespace steno
