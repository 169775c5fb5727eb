// A committer that commits when the test says so. A test can look at events that come while a block
// is in flight, and can invent a store's failure.
#pragma once

#include <optional>

#include "eventlog/log/committer.hpp"

namespace support {

class HandCommitter final : public eventlog::Committer {
 public:
  explicit HandCommitter(eventlog::BlockStore& store) : store_(store) {}

  bool is_idle() const override { return !submitted_ && !done_; }
  void submit(eventlog::SealedBlock block) override { submitted_ = std::move(block); }
  std::optional<eventlog::CommitOutcome> poll() override {
    return std::exchange(done_, std::nullopt);
  }

  // Returns the block in flight, if there is one.
  const std::optional<eventlog::SealedBlock>& submitted() const { return submitted_; }
  // Makes the block in flight durable.
  void complete() {
    auto outcome = eventlog::commit(store_, nullptr, *submitted_);
    finish(std::move(outcome));
  }
  // Ends the block in flight with this status; nothing is stored.
  void fail(eventlog::AppendStatus status) {
    finish({status, store_.tail(), {base::ErrorCode::io, "the disk is gone", "log"}});
  }

 private:
  void finish(eventlog::AppendOutcome outcome) {
    done_ = eventlog::CommitOutcome{std::move(outcome), std::move(*submitted_)};
    submitted_.reset();
  }

  eventlog::BlockStore& store_;
  std::optional<eventlog::SealedBlock> submitted_;
  std::optional<eventlog::CommitOutcome> done_;
};

}  // namespace support
