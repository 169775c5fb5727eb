// How Claude Code's command line and environment are made. Each flag is one argument, --flag=value,
// as its own SDK passes them.
#pragma once

#include "workers/engines/engine.hpp"

namespace engines {

Launch claude_launch(const EngineSettings& settings, const SessionLaunch& session);

}  // namespace engines
