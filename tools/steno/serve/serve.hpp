// The two processes of `steno serve`: the server, which also looks after the worker, and the
// worker.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "workers/commands/command_loop.hpp"
#include "workers/notifications/sink_options.hpp"
#include "workers/protocol/status.hpp"
#include "workers/reactors/hooks.hpp"
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
  engines::PriceTable prices;  // by which the use of models is priced
  workers::KeepFor keep_for;
  workers::SinkOptions sinks;
  std::unique_ptr<const workers::HookTable> hook_table;      // to which the next ones point
  std::unique_ptr<workers::SubscriberMail> subscriber_mail;  // null: no hook has a subscriber
  workers::HookOptions hooks;
  std::function<workers::ServerFacts()> facts;
  // The command line of this machine's worker process; empty: somebody else starts it.
  std::vector<std::string> worker_argv;
  // Likewise of the gateway; empty: none is wanted, or somebody else starts it.
  std::vector<std::string> gateway_argv;
  std::string gateway_lock;
  base::Duration stop_grace = std::chrono::seconds(10);  // for turns under way at a stop
  bool keep_workers = false;                             // a stop signal ends the server only
  std::vector<std::string> archive_folders;              // where archives that were moved can be
  bool is_detached = false;                              // nobody reads stdout once it is ready
  bool accept_clock = false;     // serve although the clock is far behind the log
  bool needs_log = false;        // refuse a data folder without a log
  std::int64_t agent_files = 0;  // files that the worker and its agents can open; 0: unchanged
  mode_t agent_umask = 0;        // of agents; the umask of the server excludes all others
};

// Error refused: the clock is so far before the log's last event that recorded times would be wrong
// for weeks.
base::Result<void> check_clock(base::Time last, base::Time wall);

// Run until SIGTERM, SIGINT or SIGHUP, and return an exit code. A failure prints one line on
// stderr. The server prints "ready" to stdout once it takes commands.
// One that another server is about to give way to waits for that.
int run_server(const ServeOptions& options);
int run_worker(const ServeOptions& options);

// The log of a server that was detached from its terminal.
std::string server_log_of(const std::string& run_folder);

}  // namespace steno
