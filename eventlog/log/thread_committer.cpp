// A Committer on its own thread. Block and outcome are handed over through base::JobThread.
#include "eventlog/base/check.hpp"
#include "eventlog/base/job_thread.hpp"
#include "eventlog/log/committer.hpp"

namespace eventlog {
namespace {

class ThreadCommitter final : public Committer {
 public:
  ThreadCommitter(BlockStore& store, HeadFile* head)
      : thread_("log-commit", [&store, head](SealedBlock block) {
          AppendOutcome outcome = commit(store, head, block);
          return CommitOutcome{std::move(outcome), std::move(block)};
        }) {}

  bool is_idle() const override { return is_idle_; }

  void submit(SealedBlock block) override {
    CHECK(is_idle_);
    is_idle_ = false;
    thread_.submit(std::move(block));
  }

  std::optional<CommitOutcome> poll() override {
    auto outcome = thread_.poll();
    if (outcome) is_idle_ = true;
    return outcome;
  }

  int wake_fd() const override { return thread_.wake_fd(); }

 private:
  bool is_idle_ = true;
  base::JobThread<SealedBlock, CommitOutcome> thread_;
};

}  // namespace

std::unique_ptr<Committer> make_thread_committer(BlockStore& store, HeadFile* head) {
  return std::make_unique<ThreadCommitter>(store, head);
}

}  // namespace eventlog
