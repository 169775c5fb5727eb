// Drives the scripted agent with Claude Code's codec.
#include "workers/engines/scripted/scripted_engine.hpp"

#include "workers/engines/claude/claude_engine.hpp"

namespace engines {

const EngineKind kScriptedEngine{"scripted",
                                 "the scripted agent of tests and demo",
                                 "steno-scripted-agent",
                                 true,
                                 make_claude_engine,
                                 true};

}  // namespace engines
