// A real `steno serve` with a fresh log: the server's process alone, so that no worker and no agent
// shares the processor with what is measured. Sessions can be spawned; they wait for a worker.
#pragma once

#include <memory>
#include <string>

#include "tools/benchmarks/child_process.hpp"
#include "tools/benchmarks/workbench.hpp"

namespace benchmarks {

class StenoServer {
 public:
  // In a fresh folder of that name. Returns when it is ready.
  static base::Result<std::unique_ptr<StenoServer>> start(Workbench& bench,
                                                          const std::string& name);

  int pid() const { return process_->pid(); }
  const std::string& command_endpoint() const { return command_endpoint_; }
  // Bytes in its write-ahead logs, as long as none of them was removed: while the log is short.
  std::size_t write_ahead_bytes() const;

 private:
  StenoServer(std::unique_ptr<ChildProcess> process, std::string home)
      : process_(std::move(process)), home_(std::move(home)) {}

  std::unique_ptr<ChildProcess> process_;
  const std::string home_;
  std::string command_endpoint_;
};

}  // namespace benchmarks
