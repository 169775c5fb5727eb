// Proves a whole log from its first block to its last: nothing is missing, and everything fits
// together. Lists as many separate problems as can be told apart, each with its place.
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

// Most problems that are listed; each is one line for a person to read.
constexpr std::size_t kProblemsMax = 1000;

// The end of a problem that reaches to the log's end, wherever that was.
constexpr Position kUnknownEnd{std::numeric_limits<std::int64_t>::max()};

struct Problem {
  Position position;                                // of the first event it is about
  Position through;                                 // of the last one, or kUnknownEnd
  base::ErrorCode code = base::ErrorCode::damaged;  // or wrong_log: of another log, or a newer one
  std::string text;
};

// A reader who has seen the log up to a checkpoint; the log must still hold that history.
struct Witness {
  std::string name;  // such as "the head file"
  Checkpoint checkpoint;
};

struct VerifyReport {
  base::LogId log;          // of the first block
  std::int64_t events = 0;  // events that could be read
  std::int64_t blocks = 0;  // whole blocks
  Position first;           // of the readable events; 0: there are none
  Position last;
  base::Hash hash{};  // of the last whole block
  Epoch epoch;        // of the last whole block
  std::int64_t epochs = 0;
  std::int64_t streams = 0;
  std::int64_t contents = 0;                    // contents that match their digest
  std::int64_t contents_erased = 0;             // contents that the facts name and that are gone
  std::map<std::string, std::int64_t> anchors;  // valid ones, by their key's fingerprint
  Position anchored;                            // the position that the last of them names; 0: none
  std::int64_t after_head = 0;    // events behind the head: stored, perhaps not acknowledged
  std::vector<Problem> problems;  // ascending by position, except those found at the end
  std::int64_t problems_left_out = 0;
};

// Facts about a log besides its blocks and its head.
struct VerifyBesides {
  std::vector<Witness> witnesses;
  LaterErasures later;  // for a copy: erasures after it was made
  // Fingerprints of the trusted keys. If given, there must be an anchor of one of them, and none of
  // any other key. Empty: anchors are checked only against the log and the key that they name.
  std::set<std::string> keys{};
  // For a log whose beginning was archived: the checkpoint right before its first block, which must
  // follow it, and the rows of all streams there. None: the log begins at position 1.
  std::optional<Checkpoint> begin{};
  KeyValueStore* base_rows = nullptr;
};

// Called after each step of some megabytes, with the position reached and that of the log's end.
using VerifyProgress = std::function<void(Position reached, Position tail)>;

// Checks the whole log. Behind a loss, lists only problems that do not follow from the loss.
// Each block parses and follows the one before it (position, hash, log id). Its epoch is the same,
// unless an EpochStarted begins it, and its writer term does not decrease within an epoch.
// Each event's facts decode, its log time does not decrease, and its stream's version is the next
// one. Its content matches its digest or was erased on the record, and is gone if the record says
// that the erasure was completed. The event is possible in its stream's state.
// Each anchor has a valid signature and names a block of the log.
// The log begins at position 1 or behind `besides.begin`. It reaches `head` and each witness, and
// holds the blocks that they name.
VerifyReport verify_log(BlockStore& store, const std::optional<Checkpoint>& head,
                        const VerifyProgress& progress = {}, const VerifyBesides& besides = {});

}  // namespace eventlog
