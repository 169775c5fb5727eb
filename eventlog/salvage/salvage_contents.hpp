// Collects the contents of a damaged log's blocks, as far as their digests prove them. Content that
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

  // Call with every event of every found block, before the first call of seal(). `is_kept` is true
  // if the event is also on the record of the new log.
  void take(const domain::Envelope& envelope, const domain::Event& event, bool is_kept);

  // Allows for erasures from a copy after it was made, which its own events do not record.
  void allow(const LaterErasures& later);
  // Returns the erasures on the record of the new log, by stream.
  const std::map<std::string, domain::VersionRanges>& recorded() const { return erased_; }

  // An event whose content was found in no file, or was erased by an event that is not kept. The
  // new log must record that the content can be missing.
  struct Lost {
    std::string stream;
    base::StreamVersion version;
    Position position;
  };

  // Returns the block as it must be stored. `facts` must be those of `block`. Lost contents are
  // added to `lost`.
  SealedBlock seal(const FoundBlock& block, Bytes facts, std::vector<Lost>& lost);

 private:
  using Erased = std::map<std::string, domain::VersionRanges>;  // by stream

  bool add_entry(const domain::Envelope& envelope, std::int64_t index,
                 const std::vector<ContentBlock>& candidates, ContentBlock& content,
                 SealedBlock& sealed);
  bool add_chunks(const domain::Envelope& envelope, const StoredContent& entry,
                  SealedBlock& sealed);

  LogFiles& files_;
  Erased erased_;          // by kept events
  Erased erased_later_;    // from a copy, after it was made
  Erased erased_in_rest_;  // by events that are not kept
};

}  // namespace eventlog
