// What `set`, `rename` and `commands` have found, as programs read it.
#pragma once

#include <string>

#include "workers/operations/results.hpp"

namespace workers {

// Each returns an object of JSON on one line, in ASCII.
std::string ascii_json(const ChangedSession& changed);
std::string ascii_json(const RenamedSession& renamed);
std::string ascii_json(const OfferedCommands& offered);

}  // namespace workers
