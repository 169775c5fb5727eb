// A real `steno serve` with a fresh log. It runs the server's process alone, so that no worker or
// agent shares the processor with the measurement. Sessions can be spawned; they wait for a worker.
#pragma once

#include <memory>
#include <string>

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
  static std::string data_folder(const std::string& home) { return home + "/data"; }

  // Ends it with SIGKILL.
  void kill() { process_->kill(); }

  int pid() const { return process_->pid(); }
  const std::string& command_endpoint() const { return command_endpoint_; }
  const std::string& feed_endpoint() const { return feed_endpoint_; }
  // Returns the bytes in its write-ahead logs. Correct while none has been removed: while the log
  // is short.
  std::size_t write_ahead_bytes() const;

 private:
  StenoServer(std::unique_ptr<ChildProcess> process, std::string home)
      : process_(std::move(process)), home_(std::move(home)) {}

  std::unique_ptr<ChildProcess> process_;
  const std::string home_;
  std::string command_endpoint_;
  std::string feed_endpoint_;
};

}  // namespace benchmarks
