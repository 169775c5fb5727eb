// Port: starts agent processes. The real one puts each under a keeper; simulation scripts them.
#pragma once

#include <memory>
#include <string>

#include "workers/engines/engine.hpp"
#include "workers/processes/agent_process.hpp"
#include "workers/protocol/commands.hpp"

namespace workers {

// One lease's agent: its codec and its process.
struct LaunchedAgent {
  std::unique_ptr<engines::Engine> engine;
  std::unique_ptr<processes::AgentProcess> process;
  // Answers that others had in the agent session behind the directive's last message. If there are
  // any, the agent goes on at that message, with a copy of the session.
  std::int64_t answers_of_others = 0;
  // Name and version of the table by which its spending is priced; empty: it is what the agent
  // says.
  std::string price_table{};
  std::string program_setting{};  // that says how it is started, for advice
};

class AgentLauncher {
 public:
  virtual ~AgentLauncher() = default;
  // Starts the agent that the directive's session, spec, resume id and system prompt describe. An
  // Error's text becomes part of the session's record.
  virtual base::Result<LaunchedAgent> launch(const DirectiveBody& directive) = 0;
  // Removes what launch() made for the agent alone. Call it when the session is over, its agent has
  // ended and all its reports are recorded. Never waits.
  virtual void clean_up(base::SessionId session) = 0;
};

}  // namespace workers
