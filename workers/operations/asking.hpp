// Finds what an agent asks, and answers it.
#pragma once

#include <string>

#include "workers/operations/caller.hpp"
#include "workers/operations/results.hpp"

namespace workers {

// Returns what all sessions of the caller's agent ask, or one; empty: all.
Task<Outcome<AskPage>> find_asks(const Caller& caller, const std::string& reference);

// Likewise; "REF#NUMBER" means one of them. The caller and the reference outlive the task.
Task<Outcome<AskPage>> find_named_asks(const Caller& caller, const std::string& reference);

// Returns "4fzk2q9x#3", by which it can be answered.
std::string ask_reference(const AskShown& ask);

// Each returns an object of JSON on one line, in ASCII: what an agent asks must not reach a
// terminal as it is.
std::string ascii_json(const AskPage& page);
std::string ascii_json(const AnsweredAsk& answered);

}  // namespace workers
