// Checks erased content. Missing content must have been erased on the record, by a ContentErased of
// the same stream. Content whose erasure was completed must be gone. Memory grows with the number
// of streams and of redactions in them, not with the number of contents.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/proof/erased_after_copy.hpp"
#include "eventlog/store/block_store.hpp"

namespace eventlog {

struct Findings;

class ErasureVerifier {
 public:
  // The known state of the contents of one stream.
  class Contents {
   public:
    // Notes if the content is there, for an event whose facts name one.
    void note(base::StreamVersion version, bool is_there);

   private:
    friend class ErasureVerifier;
    struct Asked {
      base::StreamVersion version;  // of the ContentErased
      domain::VersionRanges events;
    };
    // Ranges include events without content between them, so that there are few ranges.
    domain::VersionRanges missing_;
    domain::VersionRanges there_;
    bool was_missing_ = false;  // the last noted content was missing
    std::vector<Asked> asked_;  // erasures not known to be completed
    domain::VersionRanges erased_;
    domain::VersionRanges completed_;
  };

  // Allows content to be missing although no event says so.
  void allow(const LaterErasures& later);
  // Call with every event, in order. Looks only at those about erasures.
  void take(const domain::RecordedEvent& event);
  // The reference is valid as long as this object.
  Contents& contents_of(const std::string& stream) { return contents_[stream]; }
  // Call after the last event. If something is amiss, reads the log's facts again to name
  // positions.
  void finish(BlockStore& store, Findings& findings);

 private:
  enum class Fault { none, lost, left };
  // The problems of one stream, by version: contents lost, and contents left over.
  struct Amiss {
    domain::VersionRanges lost;
    domain::VersionRanges left;
  };

  static Amiss amiss(const Contents& contents);
  static Fault fault_of(const std::unordered_map<std::string, Amiss>& amiss,
                        const domain::Envelope& envelope);
  static void name_positions(const std::unordered_map<std::string, Amiss>& amiss, BlockStore& store,
                             Findings& findings);

  std::unordered_map<std::string, Contents> contents_;  // by stream
};

}  // namespace eventlog
