// The part of proving a log that looks at anchors on the record: each must be signed by the key
// that it names, and name a block that the log holds before it.
#pragma once

#include <set>
#include <string>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/proof/anchor.hpp"
#include "eventlog/store/block_store.hpp"

namespace eventlog {

struct Findings;

class AnchorVerifier {
 public:
  // Whose anchors are believed, by fingerprint; empty: everybody's.
  void believe(std::set<std::string> keys) { keys_ = std::move(keys); }
  // Of a log whose beginning was archived: of blocks before it nothing can be said here.
  void begin_at(const Checkpoint& begin) { begin_ = begin; }
  // Every event, in order.
  void take(const domain::RecordedEvent& event, BlockStore& store, Findings& findings);
  // Once all has been taken.
  void finish(Findings& findings) const;

 private:
  std::set<std::string> keys_;
  Checkpoint begin_;
};

}  // namespace eventlog
