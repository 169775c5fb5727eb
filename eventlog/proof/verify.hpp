// Proves a whole log, from its first block to its last: that nothing is missing and that it all
// fits together. Finds as much of what is wrong as can be told apart, and names where.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "eventlog/log/snapshot_store.hpp"
#include "eventlog/proof/erased_after_copy.hpp"
#include "eventlog/store/block_store.hpp"

namespace eventlog {

// Problems listed at most; each is a line for somebody to read.
constexpr std::size_t kProblemsMax = 1000;

// Of a problem that reaches to the log's end, wherever that was.
constexpr Position kUnknownEnd{std::numeric_limits<std::int64_t>::max()};

struct Problem {
  Position position;                                // of the first event it is about
  Position through;                                 // of the last one, or kUnknownEnd
  base::ErrorCode code = base::ErrorCode::damaged;  // or wrong_log: of another log, or a newer one
  std::string text;
};

// Somebody who has seen the log up to a checkpoint: it must still hold that history.
struct Witness {
  std::string name;  // such as "the head file"
  Checkpoint checkpoint;
};

struct VerifyReport {
  base::LogId log;          // of the first block
  std::int64_t events = 0;  // that could be read
  std::int64_t blocks = 0;  // whole ones
  Position first;           // of the events that could be read; 0: there are none
  Position last;
  base::Hash hash{};  // of the last whole block
  Epoch epoch;        // of the last whole block
  std::int64_t epochs = 0;
  std::int64_t streams = 0;
  std::int64_t contents = 0;         // that match their digest
  std::int64_t contents_erased = 0;  // of events whose facts tell of a content that is gone
  std::map<std::string, std::int64_t> anchors;  // that hold, by their key's fingerprint
  Position anchored;                            // of the last of them; 0: there is none
  std::int64_t after_head = 0;    // events behind the head: stored, and perhaps not acknowledged
  std::vector<Problem> problems;  // ascending by position, as far as they were found in passing
  std::int64_t problems_left_out = 0;
};

// What is known of a log besides its blocks and its head.
struct VerifyBesides {
  std::vector<Witness> witnesses;
  LaterErasures later;  // of a copy: what was erased from it after it was made
  // Fingerprints of the keys whose anchors are believed: then there must be one, and none of any
  // other key. Empty: anchors are held against the log and the key that they name.
  std::set<std::string> keys{};
  // Of a log whose beginning was archived: the checkpoint right before its first block, which must
  // follow it, and the rows of all streams there. Without: the log begins at position 1.
  std::optional<Checkpoint> begin{};
  KeyValueStore* base_rows = nullptr;
};

// Called after each step of some megabytes with the position reached and that of the log's end.
using VerifyProgress = std::function<void(Position reached, Position tail)>;

// Checks of every block that it parses, follows the one before it (position, hash, log id) and is
// of the same epoch unless an EpochStarted begins it; of every event that its facts decode, its log
// time does not decrease, its stream's version is the next one, its content matches its digest or
// was erased on the record (and is gone, where the record says that it is), and that it is possible
// in the state that its stream's events add up to; of every anchor its signature, and the block
// that it names; that the log begins at position 1 and reaches `head` and each witness, and holds
// there the blocks that they name. Behind a loss, only what does not follow from that loss is
// listed.
VerifyReport verify_log(BlockStore& store, const std::optional<Checkpoint>& head,
                        const VerifyProgress& progress = {}, const VerifyBesides& besides = {});

}  // namespace eventlog
