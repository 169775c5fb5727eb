// A real `steno serve` with a fresh log. Unless a row needs agents, it runs the server's process
// alone, so that no worker or agent shares the processor with the measurement. Sessions can then be
// spawned; they wait for a worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/benchmarks/child_process.hpp"
#include "tools/benchmarks/workbench.hpp"

namespace benchmarks {

class StenoServer {
 public:
  // Starts in a fresh folder of that name and returns when it is ready. A `preload` is the path of
  // a library to load into it first.
  static base::Result<std::unique_ptr<StenoServer>> start(Workbench& bench, const std::string& name,
                                                          const std::string& preload = {});

  // Starts in a folder that already has a data_folder(), written or left by another server.
  // `timeout` is for becoming ready.
  static base::Result<std::unique_ptr<StenoServer>> start_in(Workbench& bench,
                                                             const std::string& home,
                                                             Nanoseconds timeout,
                                                             const std::string& preload = {});
  // Starts a server with its worker. `flags` are further ones of `steno`. Both processes may have
  // as many files open as this one's hard limit allows, since the worker needs five for each agent.
  static base::Result<std::unique_ptr<StenoServer>> start_with_worker(
      Workbench& bench, const std::string& home, const std::vector<std::string>& flags);
  // Ends it, and its worker with all agents, in order; by force if that takes too long.
  ~StenoServer();
  StenoServer(const StenoServer&) = delete;
  StenoServer& operator=(const StenoServer&) = delete;
  static std::string data_folder(const std::string& home) { return home + "/data"; }

  // Ends it with SIGKILL.
  void kill() { process_->kill(); }

  int pid() const { return process_->pid(); }
  // Returns the process of its worker; 0 if there is none.
  int worker_pid() const;
  const std::string& command_endpoint() const { return command_endpoint_; }
  const std::string& feed_endpoint() const { return feed_endpoint_; }
  // Returns the bytes in its write-ahead logs. Correct while none has been removed: while the log
  // is short.
  std::size_t write_ahead_bytes() const;

 private:
  StenoServer(std::unique_ptr<ChildProcess> process, std::string home)
      : process_(std::move(process)), home_(std::move(home)) {}
  static base::Result<std::unique_ptr<StenoServer>> start_process(
      const std::vector<std::string>& argv, const std::string& home, Nanoseconds timeout);

  std::unique_ptr<ChildProcess> process_;
  const std::string home_;
  std::string command_endpoint_;
  std::string feed_endpoint_;
  bool has_worker_ = false;
};

}  // namespace benchmarks
