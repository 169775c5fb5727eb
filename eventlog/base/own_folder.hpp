// A folder that belongs to one user alone: of sockets, or of an agent's private files. An existing
// folder can be shared by many users, such as /tmp, so it is used as it is or not at all.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"

namespace base {

// Makes the folder and its missing parents (0700). An existing folder is never changed. Errors:
// refused when it is another user's or open to others; invalid when it is no folder; io.
Result<void> make_own_folder(const std::string& path);

// Makes the folder and its missing parents (0700). A folder that is there can be open to others.
// Error: io.
Result<void> make_folders(const std::string& path);

}  // namespace base
