// Drives a server with requests. In a closed loop each answer starts the next request; in an open
// loop requests are due by the clock, whatever the answers do.
#pragma once

#include <cstdint>
#include <vector>

#include "eventlog/base/result.hpp"
#include "tools/benchmarks/latencies.hpp"

namespace benchmarks {

// A server as the driver sees it. A slot holds one request, and is free again when that is done.
class LoadTarget {
 public:
  virtual ~LoadTarget() = default;
  // Begins a durable request in a free slot. The next advance() sends it at the latest.
  virtual base::Result<void> start(std::size_t slot) = 0;
  // Sends and receives without waiting, and adds the slots of accepted requests to `done`. Error:
  // the server refused one, or is gone.
  virtual base::Result<void> advance(std::vector<std::size_t>& done) = 0;
  // Waits until advance() has something to do, `timer_fd` is readable, or a second has passed.
  virtual base::Result<void> wait(int timer_fd) = 0;
};

struct LoadResult {
  Latencies latencies;
  Nanoseconds took{0};
  std::vector<Nanoseconds> since{};  // when each was begun, or due, in the order of sending

  double per_second() const { return static_cast<double>(latencies.count()) / seconds(took); }
};

struct ClosedLoop {
  std::size_t outstanding = 1;
  Nanoseconds duration{0};
  std::size_t count_max = 0;  // requests
};

struct OpenLoop {
  double per_second = 0;
  Nanoseconds duration{0};
  // Requests are due in beats of a clock, as many as the rate gives. A finer beat would measure how
  // fast the driver wakes up.
  Nanoseconds beat = std::chrono::microseconds(250);
  // Due requests wait for a slot if this many are unanswered; their time runs on.
  std::size_t outstanding_max = 1024;
};

// Bounds of a loop that ends by the clock, and of one that ends by its count.
constexpr std::size_t kTurnCountMax = 2'000'000;
constexpr Nanoseconds kTurnMax = std::chrono::seconds(5);
// Requests before measuring.
constexpr std::size_t kWarmUpCount = 200;

// Also awaits every request that was begun. Latency runs from start() to its return by advance().
base::Result<LoadResult> run_closed_loop(LoadTarget& target, const ClosedLoop& loop);
// Latency runs from the moment at which the request was due, not from its sending.
base::Result<LoadResult> run_open_loop(LoadTarget& target, const OpenLoop& loop);

}  // namespace benchmarks
