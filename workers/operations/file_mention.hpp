// A guard for prompts from chats: Claude Code reads a file that a prompt names as "@/any/file",
// wherever it is and without a permission.
#pragma once

#include "workers/operations/operation.hpp"

namespace workers {

// Refuses if a prompt among the arguments of an operation has a word for which the agent would read
// a file (workers/text/file_mention.hpp). The text says what to do.
Outcome<bool> check_mentions(const Json& arguments);

}  // namespace workers
