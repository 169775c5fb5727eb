// Which of the blocks that were found in a log's files are its good prefix, and what becomes of the
// others. Looks at headers and hashes alone.
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
  std::vector<const FoundBlock*> prefix;  // from the log's first block on, each follows the last
  std::vector<PlannedRest> rest;          // ascending
  std::vector<MissingEvents> missing;
  base::LogId log;
  std::int64_t epoch_counter = 0;  // the greatest that was seen
  std::int64_t writer_term = 0;    // likewise
};

// `head`: none when the head file cannot be read. Where the blocks are of several logs, those of
// the head's are taken, or else of the one that most are of in the first of the folders that were
// read. The pointers are into `blocks`.
SalvagePlan plan_salvage(const std::vector<FoundBlock>& blocks,
                         const std::optional<Checkpoint>& head);

}  // namespace eventlog
