// An engine whose agent is `cat`: it answers with its input.
#pragma once

#include "workers/engines/engine_kind.hpp"

namespace engines {

extern const EngineKind kEchoEngine;

}  // namespace engines
