// A committer that commits when the test says so: what comes while a block is on its way can be
// looked at, and a store's bad news can be made up.
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

  // The block on its way, if there is one.
  const std::optional<eventlog::SealedBlock>& submitted() const { return submitted_; }
  // Lets the block on its way become durable.
  void complete() {
    auto outcome = eventlog::commit(store_, nullptr, *submitted_);
    finish(std::move(outcome));
  }
  // Lets its fate be what the test says; nothing is stored.
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
