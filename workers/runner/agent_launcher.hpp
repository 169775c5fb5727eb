// Port: starts agent processes. The real one puts each under a keeper; simulation scripts them.
#pragma once

#include <memory>

#include "workers/engines/engine.hpp"
#include "workers/engines/process/agent_process.hpp"
#include "workers/protocol/commands.hpp"

namespace workers {

// One lease's agent: the codec and the process that it speaks with.
struct LaunchedAgent {
  std::unique_ptr<engines::Engine> engine;
  std::unique_ptr<engines::AgentProcess> process;
};

class AgentLauncher {
 public:
  virtual ~AgentLauncher() = default;
  // The directive's session, spec, resume id and system prompt say what to start. An Error's text
  // becomes part of the session's record.
  virtual base::Result<LaunchedAgent> launch(const DirectiveBody& directive) = 0;
  // The session is over, its agent has ended and what it said is on the record: what launch() made
  // for the agent alone may go. Never waits.
  virtual void clean_up(base::SessionId session) = 0;
};

}  // namespace workers
