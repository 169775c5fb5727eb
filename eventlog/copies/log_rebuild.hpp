// Makes a log in a new data folder of blocks that are there already, as they are: for salvage and
// import. Until finish() has returned the new folder holds no log that anybody would open.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "eventlog/domain/version_ranges.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/proof/erased_after_copy.hpp"

namespace eventlog {

// How the copy's own history begins.
struct NewEpoch {
  base::LogId log;  // of a copy without a block; else that of its blocks
  std::int64_t counter = 0;
  std::int64_t writer_term = 0;  // of the last server that wrote the log
  std::string reason;            // as in EpochStarted
  // Of the streams that are appended to: $server, and those of `lost` and `erased`.
  std::map<std::string, base::StreamVersion> versions;
  std::map<std::string, domain::VersionRanges> lost;  // contents, by stream: on the record as lost
  // What was erased from that which the copy was made of, and is not on its record yet.
  LaterErasures erased;
};

class LogCopy {
 public:
  // Errors: conflict when the folder holds something; those of prepare_data_folder.
  static Result<LogCopy> begin(const std::string& folder);

  // The block behind the last one; it is not proved. Nothing is durable yet.
  Result<bool> append(const SealedBlock& block);
  // Makes all of it durable, and proves its end.
  Result<Checkpoint> finish(base::Random& random);
  // Instead of the record, where that is to stay as it is. Durable when it returns.
  Result<bool> note_erased(const LaterErasures& erased);
  // After finish(): appends the EpochStarted and what goes with it, durably.
  Result<Checkpoint> begin_epoch(const NewEpoch& epoch, base::Random& random);

  const BlockHeader& last() const { return last_; }

 private:
  explicit LogCopy(std::string root) : folder_{std::move(root)} {}

  LogFolder folder_;
  std::unique_ptr<BlockStore> store_;  // until finish()
  std::optional<OpenedLog> log_;       // from then on
  BlockHeader last_;                   // of the block that was appended last
  Hash hash_{};
};

}  // namespace eventlog
