// Does a block continue the history that a reader has read so far?
#pragma once

#include <vector>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/store/block.hpp"

namespace projections {

// A block that was proved to follow a checkpoint, its events decoded, with their positions.
struct FollowingBlock {
  eventlog::Checkpoint reached;  // the reader's checkpoint once the block is folded
  std::vector<domain::RecordedEvent> events;
  std::vector<std::optional<domain::StreamRef>> streams;  // of each event
};

// Checks that the block begins right behind the checkpoint and names its hash, that it is of the
// same log, and that its epoch is the same or begun by its first event, an EpochStarted; then
// decodes its events. `hash`: block.hash(), which is believed. Errors: wrong_log and damaged, each
// naming the position it is about.
base::Result<FollowingBlock> follow(const eventlog::Checkpoint& checkpoint,
                                    const eventlog::BlockView& block, const base::Hash& hash);

}  // namespace projections
