// Decides whether a block continues the history that a reader has read so far.
#pragma once

#include <vector>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/store/block.hpp"

namespace projections {

// A block that was proved to follow a checkpoint, with its events decoded and numbered.
struct FollowingBlock {
  eventlog::Checkpoint reached;  // the reader's checkpoint once the block is folded
  std::vector<domain::RecordedEvent> events;
  std::vector<std::optional<domain::StreamRef>> streams;  // of each event
};

// Proves that the block follows the checkpoint, and decodes its events. It must begin right behind
// the checkpoint, name its hash, be of the same log, and be of the same epoch or begin a later one
// with its first event, an EpochStarted. `hash` must be block.hash(); it is not computed again.
// Errors: wrong_log and damaged, or that of decoding, each naming its position.
base::Result<FollowingBlock> follow(const eventlog::Checkpoint& checkpoint,
                                    const eventlog::BlockView& block, const base::Hash& hash);

}  // namespace projections
