// From which an engine is made: the settings of its kind of agent on this machine, and those of one
// agent process.
#pragma once

#include <string>
#include <vector>

#include "eventlog/domain/session/commands.hpp"
#include "workers/engines/prices.hpp"

namespace engines {

// Settings that are the same for all sessions of one engine on this machine.
struct EngineSettings {
  std::vector<std::string> program;  // the start of argv; the first is the executable's path
  std::string home;                  // the agent's HOME; empty: the worker's own
  // "NAME=value" each. The first is the worker's own environment, of which only what an agent needs
  // is passed on. The second is the operator's, which overrides all else.
  std::vector<std::string> inherited_environment{};
  std::vector<std::string> environment{};
  // Variables of the worker's environment that are passed on beside those that an agent needs.
  std::vector<std::string> passed_names{};
  bool is_sandboxed = false;  // it runs where it can do no harm, such as in a container
  PriceTable prices{};
};

// Settings of one agent process.
struct SessionLaunch {
  domain::SessionSpec spec;
  std::string resume_agent_session;  // as the lease says; empty: as the spec says
  std::string system_prompt;         // added to the agent's own; empty: none
  std::string temp_folder;           // private to the session; empty: not set for the agent
  std::string runtime_folder;        // likewise
  base::FencingToken token{1};       // of the lease; tells the session's processes apart
  std::string last_message{};        // that the agent session should have; empty: not known
  bool is_shared = false;            // others have gone on behind it: the agent goes on at it
  std::vector<domain::HookPoint> hook_points{};  // at which the agent is to wait for hooks
};

}  // namespace engines
