// Proves a log's end when it is opened, as far as can be done in that moment.
#pragma once

#include <optional>
#include <string>

#include "eventlog/store/block_store.hpp"

namespace eventlog {

// The size of the end that is proved, in bytes of facts.
constexpr std::size_t kProvedBytes = 4 << 20;

// Checks three things. The log begins at position 1, or right behind `begin`. Its last kProvedBytes
// of blocks are whole and follow each other. It holds the very block that `head` names. A log that
// goes on behind its head is whole. Errors: damaged, naming the missing positions; wrong_log for a
// newer format, an event of a later release in these blocks, or the head of another log; the
// store's.
Result<void> prove_end(BlockStore& store, const std::optional<Checkpoint>& head,
                       Position begin = {});

// Checks that the log holds the very block that a reader has reached, if the log still holds that
// position. Errors: damaged, naming the missing events, when the reader has seen more of this
// history than the log holds. Those events must not be written anew. wrong_log: the reader comes
// from another history or another log. Also the store's errors.
Result<void> prove_checkpoint(BlockStore& store, const Checkpoint& reached);

// Returns "event 7 is missing" or "events 7 to 9 are missing".
std::string missing_text(Position from, Position through);

}  // namespace eventlog
