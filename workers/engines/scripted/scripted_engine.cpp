// Drives the scripted agent with Claude Code's codec.
#include "workers/engines/scripted/scripted_engine.hpp"

#include "workers/engines/claude/claude_engine.hpp"
#include "workers/engines/claude/claude_input.hpp"

namespace engines {

const EngineKind kScriptedEngine{.name = "scripted",
                                 .description = "the scripted agent of tests and demo",
                                 .speaker = "The agent",
                                 .title = "Session",
                                 .program = "steno-scripted-agent",
                                 .is_beside_steno = true,
                                 .make = make_claude_engine,
                                 .hook_points = kClaudeHookPoints,
                                 .is_injecting = true,
                                 .takes_files = true,
                                 .is_pricing = true};

}  // namespace engines
