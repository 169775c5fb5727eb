// Hands jobs to a thread of its own and the outcomes back. This is the only way in which Steno's
// loops have slow work (a sync, a disk read) done without waiting. All public calls come from one
// thread, the owner's.
#pragma once

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

namespace base {

template <class Job, class Outcome>
class JobThread {
 public:
  // `work` runs on the thread, once for each job, in order. `name` is shown by `top -H` and
  // profilers, at most 15 bytes.
  JobThread(const char* name, std::function<Outcome(Job)> work)
      : work_(std::move(work)),
        wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this] { run(); }) {
    pthread_setname_np(thread_.native_handle(), name);
  }

  // Returns once all jobs are done; their outcomes are dropped.
  ~JobThread() {
    {
      const std::lock_guard guard(mutex_);
      is_stopping_ = true;
    }
    submitted_.notify_one();
    thread_.join();
    close(wake_fd_);
  }

  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  void submit(Job job) {
    {
      const std::lock_guard guard(mutex_);
      jobs_.push_back(std::move(job));
    }
    submitted_.notify_one();
  }

  // Returns the next outcome, in the order of the jobs; none if none is ready.
  std::optional<Outcome> poll() {
    return poll_if([](const Outcome&) { return true; });
  }

  // The same, but only if `accepts` returns true for the next outcome; otherwise it stays the next.
  template <class Accepts>
  std::optional<Outcome> poll_if(Accepts&& accepts) {
    const std::lock_guard guard(mutex_);
    if (outcomes_.empty() || !accepts(outcomes_.front())) return std::nullopt;
    std::optional<Outcome> outcome(std::move(outcomes_.front()));
    outcomes_.pop_front();
    if (outcomes_.empty()) {
      eventfd_t count = 0;
      eventfd_read(wake_fd_, &count);
    }
    return outcome;
  }

  // The same, of outcomes that are variants: only if the next one holds a `Kind`. Outcomes of other
  // kinds stay in the queue, and with them the wake-up.
  template <class Kind>
  std::optional<Kind> poll_kind() {
    auto outcome = poll_if([](const Outcome& o) { return std::holds_alternative<Kind>(o); });
    if (!outcome) return std::nullopt;
    return std::get<Kind>(*std::move(outcome));
  }

  // Readable while there is an outcome.
  int wake_fd() const { return wake_fd_; }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      submitted_.wait(lock, [&] { return is_stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      Outcome outcome = work_(std::move(job));
      lock.lock();
      outcomes_.push_back(std::move(outcome));
      if (outcomes_.size() == 1) eventfd_write(wake_fd_, 1);
    }
  }

  const std::function<Outcome(Job)> work_;
  const int wake_fd_;
  std::mutex mutex_;  // guards both queues and is_stopping_
  // Not the _any kind: that one wakes the thread while it holds a lock that the thread then needs.
  std::condition_variable submitted_;
  bool is_stopping_ = false;
  std::deque<Job> jobs_;
  std::deque<Outcome> outcomes_;
  std::thread thread_;  // last, so that it starts after all other members
};

}  // namespace base
