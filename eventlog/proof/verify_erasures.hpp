// The part of proving a log that looks at erased content: what is missing must have been erased on
// the record, by a ContentErased of the same stream, and what was erased for good must be gone.
// Memory grows with the number of streams and of redactions in them, not with that of contents.
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
  // What is known of the contents of one stream.
  class Contents {
   public:
    // Of an event whose facts tell of a content: whether that is there.
    void note(base::StreamVersion version, bool is_there);

   private:
    friend class ErasureVerifier;
    struct Asked {
      base::StreamVersion version;  // of the ContentErased
      domain::VersionRanges events;
    };
    // Ranges reach over events without content, so that they are few.
    domain::VersionRanges missing_;
    domain::VersionRanges there_;
    bool was_missing_ = false;  // the last content
    std::vector<Asked> asked_;  // erasures that are not known to be completed
    domain::VersionRanges erased_;
    domain::VersionRanges completed_;
  };

  // Content that may be missing though no event says so.
  void allow(const LaterErasures& later);
  // Every event, in order. Looks at those that tell of an erasure.
  void take(const domain::RecordedEvent& event);
  // The reference stays valid as long as this object.
  Contents& contents_of(const std::string& stream) { return contents_[stream]; }
  // Once all has been taken. Reads the facts of the log again where something is amiss, to name the
  // positions.
  void finish(BlockStore& store, Findings& findings);

 private:
  enum class Fault { none, lost, left };
  // What is amiss of one stream, by version.
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
