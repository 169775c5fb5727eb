// Makes a log in a new data folder from existing blocks, unchanged: for salvage and import. Until
// finish() has returned, the new folder holds no log that anybody would open.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eventlog/domain/event.hpp"
#include "eventlog/domain/version_ranges.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/proof/erased_after_copy.hpp"

namespace eventlog {

// The beginning of the copy's own history.
struct NewEpoch {
  base::LogId log;  // for a copy without a block; else the blocks' own
  std::int64_t counter = 0;
  std::int64_t writer_term = 0;  // of the last server that wrote the log
  std::string reason;            // as in EpochStarted
  // Versions of the streams that are appended to: $server, and those of the rest.
  std::map<std::string, base::StreamVersion> versions;
  std::map<std::string, domain::VersionRanges> lost;  // contents to be recorded as lost, by stream
  // Erasures from the source of the copy that its record does not list yet.
  LaterErasures erased;
  // Events that make contradictions of the copy consistent again, each with its stream.
  std::vector<std::pair<std::string, domain::Event>> mending{};
};

class LogCopy {
 public:
  // Errors: conflict when the folder holds something; those of prepare_data_folder.
  static Result<LogCopy> begin(const std::string& folder);

  // Appends the next block, without proving it. Nothing is durable yet.
  Result<void> append(const SealedBlock& block);
  // Makes all blocks durable, and proves the log's end. Returns the checkpoint of the end.
  Result<Checkpoint> finish(base::Random& random);
  // Notes erasures in a file instead of on the record, where the record must stay as it is. Durable
  // on return.
  Result<void> note_erased(const LaterErasures& erased);
  // Call after finish(). Appends the EpochStarted and the events that belong to it, durably.
  // Returns the checkpoint of the new end.
  Result<Checkpoint> begin_epoch(const NewEpoch& epoch, base::Random& random);

  const BlockHeader& last() const { return last_; }

 private:
  explicit LogCopy(std::string root) : folder_{std::move(root)} {}

  LogFolder folder_;
  std::unique_ptr<BlockStore> store_;  // until finish()
  std::optional<OpenedLog> log_;       // from then on
  BlockHeader last_;                   // header of the last appended block
  Hash hash_{};
};

}  // namespace eventlog
