// A server with its load, and the rounds that were measured of it by turns with others.
#pragma once

#include <memory>

#include "tools/benchmarks/measured.hpp"
#include "tools/benchmarks/steno_load.hpp"

namespace benchmarks {

struct RateSubject {
  std::unique_ptr<StenoServer> server;
  std::unique_ptr<StenoLoad> load;
  Rounds rounds{};

  // Connects, and runs the load for a moment that does not count.
  static base::Result<RateSubject> start(Workbench& bench, std::unique_ptr<StenoServer> server,
                                         StenoLoadOptions options);
  // One more round.
  base::Result<bool> run(std::size_t outstanding, Nanoseconds duration);
};

// The one, then the other. Checks what both have appended.
struct RateTurns {
  int turns = 0;
  std::size_t outstanding = 0;
  Nanoseconds duration{0};
};
base::Result<bool> run_by_turns(RateSubject& subject, RateSubject& other, const RateTurns& turns);

// An open loop at half the rate that the subject reached; "…, open loop at 6,000/s: p50 …, p99 …"
base::Result<std::string> open_loop_text(const std::string& what, RateSubject& subject,
                                         Nanoseconds duration);

}  // namespace benchmarks
