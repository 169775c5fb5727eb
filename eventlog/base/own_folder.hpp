// A folder that is one user's alone: of sockets, of an agent's private files. One that was there
// before may be the meeting place of many, such as /tmp, so it is used as it is or not at all.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"

namespace base {

// Makes the folder and those above it that are missing (0700). One that is there is never changed.
// Errors: refused when it is another user's or open to others; invalid when it is no folder; io.
Result<bool> make_own_folder(const std::string& path);

}  // namespace base
