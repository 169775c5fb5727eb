// Whether a server is there, as the file system and the kernel tell it without asking the server.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"

namespace workers {

// Returns without an error when somebody listens on the Unix socket of `endpoint`. Errors:
// unreachable when nobody does; refused when we have no permission to use it; io; invalid when it
// is no endpoint.
base::Result<void> probe_listener(const std::string& endpoint);

// True when no process serves at the command endpoint any more: the lock beside its socket, which
// the server holds, is free. A server that lives and does not answer is not gone.
bool is_server_gone(const std::string& command_endpoint);

}  // namespace workers
