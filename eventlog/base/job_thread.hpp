// Hands work to a thread of its own and the outcomes back: the one way in which Steno's loops have
// something slow (a sync, a disk read) done without waiting for it. Owner's side: one thread.
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

namespace base {

template <class Job, class Outcome>
class JobThread {
 public:
  // `work` runs on the thread, once for each job, in order. `name`: what `top -H` and profilers
  // call the thread, at most 15 bytes.
  JobThread(const char* name, std::function<Outcome(Job)> work)
      : work_(std::move(work)),
        wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this](const std::stop_token& stop) { run(stop); }) {
    pthread_setname_np(thread_.native_handle(), name);
  }

  // Ends once all jobs are done; their outcomes are dropped.
  ~JobThread() {
    thread_.request_stop();
    submitted_.notify_all();
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

  // The next outcome, in the order of the jobs; none if none is ready.
  std::optional<Outcome> poll() {
    return poll_if([](const Outcome&) { return true; });
  }

  // The same, unless the next outcome is one that the caller does not accept: it stays the next.
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

  // Readable while there is an outcome.
  int wake_fd() const { return wake_fd_; }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (submitted_.wait(lock, stop, [&] { return !jobs_.empty(); })) {
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
  std::mutex mutex_;  // guards both queues
  std::condition_variable_any submitted_;
  std::deque<Job> jobs_;
  std::deque<Outcome> outcomes_;
  std::jthread thread_;  // last, so that it starts when all else is there
};

}  // namespace base
