// One pass over a log, on the calling thread: what the rows on folding time.
#pragma once

#include <string>
#include <unordered_map>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/store/block_store.hpp"
#include "tools/benchmarks/latencies.hpp"

namespace benchmarks {

// How far a pass goes: each does what the one before does, and one thing more.
enum class Stage { scan, check, decode, fold };

using States = std::unordered_map<std::string, domain::StreamState>;

struct Pass {
  std::int64_t events = 0;
  domain::RecordedEvent recorded;  // the one at hand
  States states;
  Nanoseconds took{0};

  double per_second() const { return static_cast<double>(events) / seconds(took); }
};

// What the projector reads at once.
constexpr std::size_t kReadBytes = 1 << 20;

// From the first event, until so many at least are done, or the log ends.
base::Result<Pass> run_pass(eventlog::BlockStore& store, Stage stage, std::int64_t events);

}  // namespace benchmarks
