// The committing thread. One of the few places where work is handed between threads.
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "eventlog/base/check.hpp"
#include "eventlog/committer.hpp"

namespace eventlog {
namespace {

class ThreadCommitter final : public Committer {
 public:
  ThreadCommitter(BlockStore& store, HeadFile* head)
      : store_(store),
        head_(head),
        wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this](auto stop) { run(stop); }) {
    CHECK(wake_fd_ >= 0);
  }

  ~ThreadCommitter() override {
    thread_.request_stop();
    submitted_.notify_all();
    thread_.join();
    close(wake_fd_);
  }

  bool is_idle() const override { return is_idle_; }

  void submit(SealedBlock block) override {
    CHECK(is_idle_);
    is_idle_ = false;
    {
      const std::lock_guard guard(mutex_);
      todo_ = std::move(block);
    }
    submitted_.notify_one();
  }

  std::optional<CommitOutcome> poll() override {
    std::optional<CommitOutcome> done;
    {
      const std::lock_guard guard(mutex_);
      done = std::exchange(done_, std::nullopt);
    }
    if (done) {
      is_idle_ = true;
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t drained = read(wake_fd_, &count, sizeof count);
    }
    return done;
  }

  int wake_fd() const override { return wake_fd_; }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (submitted_.wait(lock, stop, [&] { return todo_.has_value(); })) {
      SealedBlock block = std::move(*todo_);
      todo_.reset();
      lock.unlock();
      AppendOutcome outcome = commit(store_, head_, block);
      lock.lock();
      done_ = CommitOutcome{std::move(outcome), std::move(block)};
      const std::uint64_t one = 1;
      CHECK(write(wake_fd_, &one, sizeof one) == sizeof one);
    }
  }

  BlockStore& store_;
  HeadFile* const head_;
  const int wake_fd_;
  bool is_idle_ = true;  // the submitting thread's
  std::mutex mutex_;     // guards todo_ and done_
  std::condition_variable_any submitted_;
  std::optional<SealedBlock> todo_;
  std::optional<CommitOutcome> done_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<Committer> make_thread_committer(BlockStore& store, HeadFile* head) {
  return std::make_unique<ThreadCommitter>(store, head);
}

}  // namespace eventlog
