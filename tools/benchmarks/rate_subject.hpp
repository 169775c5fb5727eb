// A server with its load, and its rounds measured by turns with others.
#pragma once

#include <memory>

#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/steno_load.hpp"

namespace benchmarks {

struct RateSubject {
  std::unique_ptr<StenoServer> server;
  std::unique_ptr<StenoLoad> load;
  Rounds rounds{};

  // Connects, and runs the load for a moment before measuring.
  static base::Result<RateSubject> start(Workbench& bench, std::unique_ptr<StenoServer> server,
                                         StenoLoadOptions options);
  // Measures one more round.
  base::Result<void> run(std::size_t outstanding, Nanoseconds duration);
};

// Runs one, then the other, and checks the events that both appended.
struct RateTurns {
  int turns = 0;
  std::size_t outstanding = 0;
  Nanoseconds duration{0};
};
base::Result<void> run_by_turns(RateSubject& subject, RateSubject& other, const RateTurns& turns);

// Runs an open loop at half of the subject's rate; returns "…, open loop at 6,000/s: p50 …, p99 …".
base::Result<std::string> open_loop_text(const std::string& what, RateSubject& subject,
                                         Nanoseconds duration);

}  // namespace benchmarks
