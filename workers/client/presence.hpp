// Whether a server is there, as the file system and the kernel tell it without asking the server.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"

namespace workers {

// Returns without an error when a process listens on the Unix socket of `endpoint`. Errors:
// unreachable when no process does; refused without permission to use it, or when another user's
// process does; io; invalid when `endpoint` is no endpoint.
base::Result<void> probe_listener(const std::string& endpoint);

// Returns true when no process serves at the command endpoint any more. A server holds the lock
// beside the socket while it lives, even if it does not answer.
bool is_server_gone(const std::string& command_endpoint);

}  // namespace workers
