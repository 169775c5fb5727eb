// An engine whose agent is `cat`: what it is told, it says.
#pragma once

#include "workers/engines/engine_kind.hpp"

namespace engines {

extern const EngineKind kEchoEngine;

}  // namespace engines
