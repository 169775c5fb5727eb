// Contents of the blocks of a damaged log, as far as they prove themselves by their digests. What
// was erased on the record is not brought back, wherever it may still lie.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/version_ranges.hpp"
#include "eventlog/proof/erased_after_copy.hpp"
#include "eventlog/salvage/block_scan.hpp"

namespace eventlog {

class SalvagedContents {
 public:
  // `files` outlives it.
  explicit SalvagedContents(LogFiles& files) : files_(files) {}

  // Every event of every block that was found, before the first call of seal(). `is_kept`: the
  // event is on the record of the new log, too.
  void take(const domain::Envelope& envelope, const domain::Event& event, bool is_kept);

  // What was erased from a copy after it was made; its own events do not say so.
  void allow(const LaterErasures& later);
  // On the record of the new log, by stream.
  const std::map<std::string, domain::VersionRanges>& recorded() const { return erased_; }

  // An event whose content is found in no file, or is left out because an event that is not kept
  // erased it: the new log must say that it may be missing.
  struct Lost {
    std::string stream;
    base::StreamVersion version;
    Position position;
  };

  // The block as it is to be stored. `facts` are those of `block`. What is lost is added to `lost`.
  SealedBlock seal(const FoundBlock& block, Bytes facts, std::vector<Lost>& lost);

 private:
  using Erased = std::map<std::string, domain::VersionRanges>;  // by stream

  bool add_entry(const domain::Envelope& envelope, std::int64_t index,
                 const std::vector<ContentBlock>& candidates, ContentBlock& content,
                 SealedBlock& sealed);
  bool add_chunks(const domain::Envelope& envelope, const StoredContent& entry,
                  SealedBlock& sealed);

  LogFiles& files_;
  Erased erased_;          // by events that are kept
  Erased erased_later_;    // from the copy that the files are of
  Erased erased_in_rest_;  // by others
};

}  // namespace eventlog
