// A scripted agent in memory: the simulated twin of an agent process and its engine. Its lines are
// encoded reports, so that the worker's loop is exercised as it is, without any agent's protocol.
#pragma once

#include <map>

#include "workers/agent_launcher.hpp"

namespace simulation {

// Which sessions have a process tree that lives: what the keepers' locks say.
using LiveTrees = std::map<base::SessionId, int>;

class SimLauncher final : public workers::AgentLauncher {
 public:
  // Both outlive the launcher and all its agents.
  SimLauncher(base::Random& random, LiveTrees& trees) : random_(random), trees_(trees) {}
  base::Result<workers::LaunchedAgent> launch(const workers::DirectiveBody& directive) override;

 private:
  base::Random& random_;
  LiveTrees& trees_;
};

}  // namespace simulation
