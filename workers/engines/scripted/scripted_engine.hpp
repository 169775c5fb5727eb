// The scripted agent of tests and demo, which speaks Claude Code's protocol.
#pragma once

#include "workers/engines/engine_kind.hpp"

namespace engines {

extern const EngineKind kScriptedEngine;

}  // namespace engines
