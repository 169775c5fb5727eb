// Asks a hook that is outside of the server: a program, a URL, or a subscriber.
#pragma once

#include <string>

#include "workers/hooks/hook_answer.hpp"
#include "workers/hooks/hook_step.hpp"

namespace workers {

struct ToldStep {
  const HookStep& step;
  domain::HookPoint point;  // at which the hook is asked about it
  std::string told;         // a JSON object
};

// Waits for the hook's time-out at most; all that goes wrong is a failure of the answer.
HookAnswer run_hook(const Hook& hook, const ToldStep& told, const HookPrograms& programs);

// Returns the step's name, the same each time that it is asked.
std::string step_name(const HookStep& step);

}  // namespace workers
