// A process that follows a server's feed and notes when each event reaches it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/benchmarks/child_process.hpp"
#include "tools/benchmarks/steno_server.hpp"

namespace benchmarks {

// The process's own part; returns an exit code. `endpoints` is the command endpoint, a comma, and
// the feed's. It follows all events, and reads a number on each line of stdin. It prints "live"
// once it has received everything so far. Then it prints the moments (see now()) at which that many
// further events arrived, as 8 bytes each in the byte order of this machine.
int run_subscriber(const std::string& endpoints);

class Subscriber {
 public:
  static base::Result<std::unique_ptr<Subscriber>> start(Workbench& bench,
                                                         const StenoServer& server);
  // Call it before the events are appended, while nobody appends. Returns when the process has
  // received everything so far; received() then returns the moments of the next events, in order.
  base::Result<void> expect(std::size_t count);
  base::Result<std::vector<Nanoseconds>> received(std::size_t count);

 private:
  explicit Subscriber(std::unique_ptr<ChildProcess> process) : process_(std::move(process)) {}

  std::unique_ptr<ChildProcess> process_;
};

}  // namespace benchmarks
