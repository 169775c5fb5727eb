// The engine for Claude Code, driven call by call.
#pragma once

#include "tests/support/driven_engine.hpp"
#include "workers/engines/claude/claude_engine.hpp"

namespace engines {

class DrivenClaude : public support::DrivenEngine {
 public:
  DrivenClaude(EngineSettings settings, SessionLaunch session)
      : DrivenEngine(make_claude_engine(std::move(settings), std::move(session))) {}
};

inline std::unique_ptr<DrivenClaude> driven_claude(EngineSettings settings, SessionLaunch session) {
  return std::make_unique<DrivenClaude>(std::move(settings), std::move(session));
}

}  // namespace engines
