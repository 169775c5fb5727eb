// What hooks change at a step, as the record has it: the text of AskAnswered of a step that is
// granted. It is a JSON object, in which each field can be missing.
#pragma once

#include <string>

#include "eventlog/base/bytes.hpp"

namespace engines {

// The fields of the object.
namespace step_field {
inline constexpr char kDecision[] = "decision";  // "allow" or "ask": of the approval of a call
inline constexpr char kReason[] = "reason";      // text, of that decision
inline constexpr char kInput[] = "input";        // object: the call's input from now on
inline constexpr char kPrompt[] = "prompt";      // text: the prompt from now on
inline constexpr char kContext[] = "context";    // text: what the model is told beside it
inline constexpr char kOutput[] = "output";      // of the tool's own form: its output from now on
inline constexpr char kFeedback[] = "feedback";  // text: the model is told it as an objection
inline constexpr char kStop[] = "stop";          // text: the turn ends here, for that reason
inline constexpr char kMessage[] = "message";    // text: what people are told
}  // namespace step_field

}  // namespace engines
