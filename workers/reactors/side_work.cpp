// The lanes of a process and of a test.
#include "workers/reactors/side_work.hpp"

#include <utility>

#include "eventlog/base/job_thread.hpp"

namespace workers {
namespace {

class ThreadLane final : public Lane {
 public:
  explicit ThreadLane(const char* name)
      : thread_(name, [](const std::function<void()>& work) { return work(), true; }) {}

  void submit(std::function<void()> work) override { thread_.submit(std::move(work)); }
  bool poll() override { return thread_.poll().has_value(); }
  int wake_fd() const override { return thread_.wake_fd(); }

 private:
  base::JobThread<std::function<void()>, bool> thread_;
};

class InlineLane final : public Lane {
 public:
  void submit(std::function<void()> work) override { waiting_.push_back(std::move(work)); }
  bool poll() override {
    if (waiting_.empty()) return false;
    waiting_.front()();
    waiting_.pop_front();
    return true;
  }

 private:
  std::deque<std::function<void()>> waiting_;
};

}  // namespace

std::unique_ptr<Lane> make_thread_lane(const char* name) {
  return std::make_unique<ThreadLane>(name);
}

std::unique_ptr<Lane> make_inline_lane() {
  return std::make_unique<InlineLane>();
}

}  // namespace workers
