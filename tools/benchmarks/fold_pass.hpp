// One timed pass over a log, on the calling thread, for the rows about folding.
#pragma once

#include <string>
#include <unordered_map>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/store/block_store.hpp"
#include "tools/benchmarks/latencies.hpp"

namespace benchmarks {

// How far a pass goes: each stage includes the one before it.
enum class Stage { scan, check, decode, fold };

using States = std::unordered_map<std::string, domain::StreamState>;

struct Pass {
  std::int64_t events = 0;
  domain::RecordedEvent recorded;  // the current event
  States states;
  Nanoseconds took{0};

  double per_second() const { return static_cast<double>(events) / seconds(took); }
};

// The size of the projector's reads.
constexpr std::size_t kReadBytes = 1 << 20;

// Runs from the first event until at least `events` are done, or the log ends.
base::Result<Pass> run_pass(eventlog::BlockStore& store, Stage stage, std::int64_t events);

}  // namespace benchmarks
