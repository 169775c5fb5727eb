// Plans a salvage: which of the found blocks are the log's good prefix, and what becomes of the
// others. Looks only at headers and hashes.
#pragma once

#include <optional>
#include <vector>

#include "eventlog/salvage/block_scan.hpp"
#include "eventlog/salvage/salvage.hpp"

namespace eventlog {

struct PlannedRest {
  const FoundBlock* block = nullptr;
  RestProof proof = RestProof::alone;
};

struct SalvagePlan {
  std::vector<const FoundBlock*>
      prefix;                     // from the log's first block on, each follows the one before
  std::vector<PlannedRest> rest;  // ascending
  std::vector<MissingEvents> missing;
  base::LogId log;
  std::int64_t epoch_counter = 0;  // the greatest seen, the head's included
  std::int64_t writer_term = 0;    // the greatest seen
};

// Returns the plan, with pointers into `blocks`. `head` is none when the head file cannot be read.
// If the blocks are of several logs, the head's log is taken. Without a head, it is the log with
// the most blocks in the first folder that was read; archives decide a tie.
SalvagePlan plan_salvage(const std::vector<FoundBlock>& blocks,
                         const std::optional<Checkpoint>& head);

}  // namespace eventlog
