// Somebody else who follows a server's feed, in a process of its own: when each event reached it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/benchmarks/child_process.hpp"
#include "tools/benchmarks/steno_server.hpp"

namespace benchmarks {

// What that process does; returns an exit code. `endpoints`: of commands, a comma, of the feed. It
// follows all events, reads a number on each line of stdin, says "live" once it has received all
// that there is, and then the moments (see now()) at which so many further events were received,
// as 8 bytes each in the byte order of this machine.
int run_subscriber(const std::string& endpoints);

class Subscriber {
 public:
  static base::Result<std::unique_ptr<Subscriber>> start(Workbench& bench,
                                                         const StenoServer& server);
  // Before the events are appended, and while nobody appends. Returns when it has received all that
  // there is; received() then gives the moments of the next ones, in order.
  base::Result<bool> expect(std::size_t count);
  base::Result<std::vector<Nanoseconds>> received(std::size_t count);

 private:
  explicit Subscriber(std::unique_ptr<ChildProcess> process) : process_(std::move(process)) {}

  std::unique_ptr<ChildProcess> process_;
};

}  // namespace benchmarks
