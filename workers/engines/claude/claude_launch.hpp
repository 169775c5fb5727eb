// Makes Claude Code's command line and environment. Each flag is one argument, --flag=value, as the
// agent's own SDK passes them.
#pragma once

#include "workers/engines/engine.hpp"

namespace engines {

Launch claude_launch(const EngineSettings& settings, const SessionLaunch& session);

}  // namespace engines
