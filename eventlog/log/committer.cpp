// Commits one block and its head, on the caller's thread. The head follows the block, so it never
// names a block that is not durable.
#include "eventlog/log/committer.hpp"

#include "eventlog/base/check.hpp"

namespace eventlog {

AppendOutcome commit(BlockStore& store, HeadFile* head, const SealedBlock& block) {
  const Checkpoint reached{block.header.log, block.header.epoch, block.header.last(), block.hash};
  AppendOutcome outcome = store.append(block);
  if (outcome.status != AppendStatus::stored || head == nullptr) return outcome;
  if (auto written = head->write(reached); !written) {
    return {AppendStatus::unknown, outcome.tail, written.error()};
  }
  return outcome;
}

void InlineCommitter::submit(SealedBlock block) {
  CHECK(!done_);
  AppendOutcome outcome = commit(store_, head_, block);
  done_ = CommitOutcome{std::move(outcome), std::move(block)};
}

std::optional<CommitOutcome> InlineCommitter::poll() {
  return std::exchange(done_, std::nullopt);
}

}  // namespace eventlog
