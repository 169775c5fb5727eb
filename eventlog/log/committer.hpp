// Port: takes one sealed block at a time and reports when it is durable. The real one has a thread
// of its own, so that the next block is decided while this one is synced.
#pragma once

#include <memory>
#include <optional>

#include "eventlog/store/block_store.hpp"
#include "eventlog/store/head_file.hpp"

namespace eventlog {

struct CommitOutcome {
  AppendOutcome outcome;
  SealedBlock block;  // given back
};

class Committer {
 public:
  virtual ~Committer() = default;
  // True when no block is in flight, which is until poll() has returned the outcome of the last
  // one.
  virtual bool is_idle() const = 0;
  // Call only when idle. The outcome comes from poll().
  virtual void submit(SealedBlock block) = 0;
  virtual std::optional<CommitOutcome> poll() = 0;
  // Becomes readable when poll() has something; -1 when there is no such descriptor.
  virtual int wake_fd() const { return -1; }
};

// Commits within submit(), on the caller's thread. `store` outlives it; `head` may be null.
class InlineCommitter final : public Committer {
 public:
  InlineCommitter(BlockStore& store, HeadFile* head) : store_(store), head_(head) {}
  bool is_idle() const override { return !done_; }
  void submit(SealedBlock block) override;
  std::optional<CommitOutcome> poll() override;

 private:
  BlockStore& store_;
  HeadFile* head_;
  std::optional<CommitOutcome> done_;
};

// Appends the block, then writes the head. The outcome is `stored` only when both succeeded.
AppendOutcome commit(BlockStore& store, HeadFile* head, const SealedBlock& block);

// Commits on a thread of its own, which the destructor ends after the block in flight.
std::unique_ptr<Committer> make_thread_committer(BlockStore& store, HeadFile* head);

}  // namespace eventlog
