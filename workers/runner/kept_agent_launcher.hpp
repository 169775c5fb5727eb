// Starts real agent processes: each under a keeper, with folders and a lock file of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "eventlog/base/job_thread.hpp"
#include "workers/engines/engine_catalog.hpp"
#include "workers/engines/session_folders.hpp"
#include "workers/runner/agent_launcher.hpp"

namespace workers {

struct KeptAgentOptions {
  std::string keeper_program;      // path of steno-keeper
  std::string lock_folder;         // of the sessions' lock files
  std::string session_folder;      // of the sessions' private folders
  engines::EngineCatalog engines;  // with all settings
  // Added to every agent's environment, "NAME=value": where a program that it runs finds the
  // server.
  std::vector<std::string> server_environment;
};

// Returns the path of the lock that a session's keeper holds.
std::string session_lock_path(const std::string& lock_folder, base::SessionId session);

class KeptAgentLauncher final : public AgentLauncher {
 public:
  explicit KeptAgentLauncher(KeptAgentOptions options);
  base::Result<LaunchedAgent> launch(const DirectiveBody& directive) override;
  // Removes the session's private folder, on a thread.
  void clean_up(base::SessionId session) override;
  // Makes the private folders of the agents that were launched again, if somebody removed the
  // folder that holds them: an agent has its temporary files there. Best effort; call it now and
  // then.
  void keep_folders();

 private:
  base::Result<engines::SessionFolders> make_folders(base::SessionId session) const;

  const KeptAgentOptions options_;
  std::set<base::SessionId> launched_;          // and not cleaned up since
  base::JobThread<std::string, bool> cleaner_;  // removes a folder; returns whether it succeeded
};

}  // namespace workers
