// `steno serve`: the server's process, the worker's process, and the server's care for the worker.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "workers/commands/command_loop.hpp"
#include "workers/reactors/lease_dispatcher.hpp"
#include "workers/runner/kept_agent_launcher.hpp"
#include "workers/runner/worker_link.hpp"
#include "workers/upkeep/upkeep_jobs.hpp"

namespace steno {

struct ServeOptions {
  std::string data_folder;  // the log, what is derived from it, the locks
  std::string worker_lock;  // file
  std::string run_folder;   // sockets, the agents' private folders
  std::string command_endpoint;
  std::string worker_endpoint;
  std::string feed_endpoint;
  workers::CommandLoopOptions commands;
  workers::LeaseDispatcherOptions leases;
  workers::AgentRunnerOptions runner;
  workers::WorkerLinkOptions link;
  workers::KeptAgentOptions agents;
  workers::KeepFor keep_for;
  // How to start this machine's worker process; empty: it is started by somebody else.
  std::vector<std::string> worker_argv;
  bool keep_workers = false;  // a SIGTERM ends the server only
  bool accept_clock = false;  // serve also where the clock is far behind the log
  bool needs_log = false;     // a data folder without a log is refused
  std::int64_t agent_files =
      0;                   // of the worker and its agents: how many they may open; 0: as it is
  mode_t agent_umask = 0;  // of agents; that of the server keeps everybody else out
};

// Error refused: the clock is so far before the log's last event that what is recorded from here on
// would have wrong times for weeks.
base::Result<bool> check_clock(base::Time last, base::Time wall);

// Runs until SIGTERM or SIGINT; returns an exit code. Prints "ready" to stdout once commands are
// taken, and one line on stderr for what went wrong.
int run_server(const ServeOptions& options);
int run_worker(const ServeOptions& options);

}  // namespace steno
