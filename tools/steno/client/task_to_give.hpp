// A subagent's task, as the command line gives it.
#pragma once

#include "tools/steno/client/prompt_place.hpp"
#include "workers/operations/handlers.hpp"

namespace steno {

struct TaskToGive : workers::TaskArguments {
  PromptPlace place{};
};

}  // namespace steno
