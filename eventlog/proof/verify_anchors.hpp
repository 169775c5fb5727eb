// Checks the anchors on the record: each must be signed by the key that it names, and name an
// earlier block of the log.
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
  // Sets the trusted keys, by fingerprint; empty: every key is trusted.
  void believe(std::set<std::string> keys) { keys_ = std::move(keys); }
  // For a log whose beginning was archived: blocks before `begin` cannot be checked here.
  void begin_at(const Checkpoint& begin) { begin_ = begin; }
  // Call with every event, in order.
  void take(const domain::RecordedEvent& event, BlockStore& store, Findings& findings);
  // Call after the last event.
  void finish(Findings& findings) const;

 private:
  std::set<std::string> keys_;
  Checkpoint begin_;
};

}  // namespace eventlog
