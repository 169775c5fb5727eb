// Makes Claude Code's command line and environment. Each flag is one argument, --flag=value, as the
// agent's own SDK passes them.
#pragma once

#include "workers/engines/engine.hpp"
#include "workers/engines/engine_launch.hpp"

namespace engines {

LaunchPlan claude_launch(const EngineSettings& settings, const SessionLaunch& session);

}  // namespace engines
