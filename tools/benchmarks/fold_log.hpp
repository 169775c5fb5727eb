// A log of many sessions' facts, for measuring how fast it can be read. It is written directly: no
// server could append it in a benchmark's time.
#pragma once

#include <string>

#include "eventlog/store/block_store.hpp"
#include "tools/benchmarks/workbench.hpp"

namespace benchmarks {

struct FoldLog {
  std::unique_ptr<eventlog::BlockStore> store;
  std::int64_t events = 0;
  std::int64_t sessions = 0;
  std::size_t facts_bytes = 0;  // of all events, without the blocks' headers
};

// Writes whole sessions, a hundred alive at once, until there are at least `events` events, in
// blocks of 256, in the order in which a server would append them. Stops earlier on a machine that
// takes minutes for them. Content is left out: a fold never reads it.
base::Result<FoldLog> write_fold_log(Workbench& bench, const std::string& folder,
                                     std::int64_t events);

}  // namespace benchmarks
