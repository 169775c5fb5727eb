// This process as the caller of operations: its user, its settings, and the session whose agent
// runs it.
#pragma once

#include "tools/steno/config/config.hpp"
#include "workers/operations/caller.hpp"

namespace steno {

// Both outlive the caller.
workers::Caller caller_of(const Config& config, workers::AsyncClient& server);

// Returns the settings of sessions, as far as the configuration has them.
workers::SpecDefaults spec_defaults(const Config& config);

// True if this process is the child of a session's agent, by its variable STENO_SESSION.
bool runs_in_session();

}  // namespace steno
