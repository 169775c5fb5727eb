// Proof of a log's end, as far as it can be had in the moment of opening.
#pragma once

#include <optional>
#include <string>

#include "eventlog/store/block_store.hpp"

namespace eventlog {

// How much of the end is proved, in bytes of facts.
constexpr std::size_t kProvedBytes = 4 << 20;

// Checks that the log begins at position 1, or right behind `begin`, that its last kProvedBytes of
// blocks are whole and follow each other, and that it holds the very block that `head` names. A log
// that goes on behind its head is whole. Errors: damaged, naming the missing positions; wrong_log
// for a newer format or the head of another log; the store's.
Result<bool> prove_end(BlockStore& store, const std::optional<Checkpoint>& head,
                       Position begin = {});

// Checks that the log holds the very block that a reader has come to, where it still holds that
// position. Errors: damaged, naming the missing events, where the reader has seen more of this
// history than the log holds: what it lacks must not be written anew; wrong_log where the reader
// has come from another history, or another log; the store's.
Result<bool> prove_checkpoint(BlockStore& store, const Checkpoint& reached);

// "event 7 is missing", "events 7 to 9 are missing".
std::string missing_text(Position from, Position through);

}  // namespace eventlog
