// What subscribers that are hooks say and hear. A subscriber says hello with the role `hook` under
// the name by which hooks of the settings know it.
#pragma once

#include <string>

#include "bus/frames.hpp"

namespace workers {

constexpr std::string_view kVerbHookStep = "hook_step";  // HookStepBody → HookStepAnswer
// Sent to a subscriber now and then while it has a step, to see whether it is there. No body.
constexpr std::string_view kNoticeHookWaits = "hook_waits";

// The most of `output`. The rest of a body has a bound, too: kHookStepBytesMax is of all of it.
constexpr std::size_t kHookOutputBytesMax = std::size_t{1} << 20;
constexpr std::size_t kHookStepBytesMax = kHookOutputBytesMax + (std::size_t{64} << 10);

// Wants the next step, and answers the last one as a program would.
struct HookStepBody {
  base::CommandId asked;       // of the step that it answers; zeros: it answers none
  std::int64_t exit_code = 0;  // 0: `output` is its answer; 2: it blocks; others: it failed
  std::string output;
  std::string errors;  // the reason, if it blocks or failed

  bool operator==(const HookStepBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("asked", &HookStepBody::asked);
    visit("exit_code", &HookStepBody::exit_code);
    visit("output", &HookStepBody::output);
    visit("errors", &HookStepBody::errors);
  }
};

struct HookStepAnswer {
  base::CommandId asked;     // made for each time that a step is given; zeros: there is none yet
  std::string step;          // the same each time that the step is asked
  std::string hook;          // by its name in the settings
  base::Duration timeout{};  // after which its answer is of no use
  std::string told;          // what a program reads from stdin

  bool operator==(const HookStepAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("asked", &HookStepAnswer::asked);
    visit("step", &HookStepAnswer::step);
    visit("hook", &HookStepAnswer::hook);
    visit("timeout_us", &HookStepAnswer::timeout);
    visit("told", &HookStepAnswer::told);
  }
};

}  // namespace workers
