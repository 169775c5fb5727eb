// The loading thread. One of the few places where work is handed between threads.
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "eventlog/base/check.hpp"
#include "eventlog/stream_loader.hpp"

namespace eventlog {
namespace {

class ThreadLoader final : public StreamLoader {
 public:
  ThreadLoader(BlockStore& store, StreamIndex& index, SnapshotStore& snapshots)
      : store_(store),
        index_(index),
        snapshots_(snapshots),
        wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this](auto stop) { run(stop); }) {
    CHECK(wake_fd_ >= 0);
  }

  ~ThreadLoader() override {
    thread_.request_stop();
    asked_.notify_all();
    thread_.join();
    close(wake_fd_);
  }

  void request(const std::string& stream) override { ask({stream, std::nullopt}); }

  void save(const std::string& stream, LoadedStream loaded) override {
    ask({stream, std::move(loaded)});
  }

  std::optional<LoadOutcome> poll() override {
    const std::lock_guard guard(mutex_);
    if (loaded_.empty()) return std::nullopt;
    LoadOutcome outcome = std::move(loaded_.front());
    loaded_.pop_front();
    drain();
    return outcome;
  }

  std::optional<SaveOutcome> poll_saved() override {
    const std::lock_guard guard(mutex_);
    if (saved_.empty()) return std::nullopt;
    SaveOutcome outcome = std::move(saved_.front());
    saved_.pop_front();
    drain();
    return outcome;
  }

  int wake_fd() const override { return wake_fd_; }

 private:
  struct Job {
    std::string stream;
    std::optional<LoadedStream> to_save;  // absent: load
  };

  void ask(Job job) {
    {
      const std::lock_guard guard(mutex_);
      jobs_.push_back(std::move(job));
    }
    asked_.notify_one();
  }

  void drain() {
    if (!loaded_.empty() || !saved_.empty()) return;
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t drained = read(wake_fd_, &count, sizeof count);
  }

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (asked_.wait(lock, stop, [&] { return !jobs_.empty(); })) {
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      if (job.to_save) {
        const bool is_saved = snapshots_.save(job.stream, *job.to_save).has_value();
        lock.lock();
        saved_.push_back({std::move(job.stream), is_saved});
      } else {
        auto loaded = load_stream(store_, index_, snapshots_, job.stream);
        lock.lock();
        loaded_.push_back({std::move(job.stream), std::move(loaded)});
      }
      const std::uint64_t one = 1;
      CHECK(write(wake_fd_, &one, sizeof one) == sizeof one);
    }
  }

  BlockStore& store_;
  StreamIndex& index_;
  SnapshotStore& snapshots_;
  const int wake_fd_;
  std::mutex mutex_;  // guards the three queues
  std::condition_variable_any asked_;
  std::deque<Job> jobs_;
  std::deque<LoadOutcome> loaded_;
  std::deque<SaveOutcome> saved_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<StreamLoader> make_thread_loader(BlockStore& store, StreamIndex& index,
                                                 SnapshotStore& snapshots) {
  return std::make_unique<ThreadLoader>(store, index, snapshots);
}

}  // namespace eventlog
