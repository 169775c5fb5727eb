// The work beside the server's loop that reactors have done: they never block, and so read no disk
// and wait for no network. A reactor with slow work of a new kind has it done on a lane, and needs
// no change outside its own files.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/block_store.hpp"
#include "workers/notifications/notifier.hpp"
#include "workers/reactors/content_loader.hpp"
#include "workers/upkeep/upkeep_jobs.hpp"

namespace workers {

// The stores of one log that are read beside the loop. All outlive the server.
struct SideStores {
  eventlog::BlockStore& log;
  eventlog::StreamIndex& index;
  eventlog::KeyValueStore& index_rows;
  eventlog::KeyValueStore& view_rows;
};

// Port: does pieces of work beside the loop, one after the other. On a thread its end waits for all
// that were submitted; otherwise it drops them. Whoever submits bounds how many wait. Used by one
// thread.
class Lane {
 public:
  virtual ~Lane() = default;
  virtual void submit(std::function<void()> work) = 0;
  // Returns true once for each piece that is done, in their order.
  virtual bool poll() = 0;
  // Readable while poll() would return true; -1: there is no such descriptor.
  virtual int wake_fd() const { return -1; }
};

// Jobs of one kind on a lane, with what came of them. Used by one thread.
template <class Job, class Outcome>
class Jobs {
 public:
  // `run` is called beside the loop, once for each job, in order.
  Jobs(std::unique_ptr<Lane> lane, std::function<Outcome(const Job&)> run)
      : run_(std::move(run)), lane_(std::move(lane)) {}

  void submit(Job job) {
    under_way_.push_back(std::make_unique<std::optional<Outcome>>());
    lane_->submit([this, outcome = under_way_.back().get(), job = std::move(job)] {
      outcome->emplace(run_(job));
    });
  }
  // Returns the next outcome, in the order of the jobs; none if none is ready.
  std::optional<Outcome> poll() {
    if (!lane_->poll()) return std::nullopt;
    const auto outcome = std::move(under_way_.front());
    under_way_.pop_front();
    return std::move(*outcome);
  }
  std::size_t under_way() const { return under_way_.size(); }
  int wake_fd() const { return lane_->wake_fd(); }

 private:
  const std::function<Outcome(const Job&)> run_;
  std::deque<std::unique_ptr<std::optional<Outcome>>> under_way_;
  const std::unique_ptr<Lane> lane_;  // last: its end waits for what uses the members above
};

// Port: makes the ports of the reactors. They work on threads in a process, on the caller's thread
// in a test, and at random times in the simulator.
class SideWork {
 public:
  virtual ~SideWork() = default;
  // `name` is shown by `top -H` and profilers, at most 15 bytes.
  virtual std::unique_ptr<Lane> make_lane(const char* name) = 0;
  virtual std::unique_ptr<ContentLoader> make_content_loader(const SideStores& stores) = 0;
  virtual std::unique_ptr<UpkeepPort> make_upkeep_port(UpkeepJobs jobs) = 0;
  virtual std::unique_ptr<Notifier> make_notifier(const SideStores& stores) = 0;
};

// Works on a thread of its own.
std::unique_ptr<Lane> make_thread_lane(const char* name);
// Works within poll(), on the caller's thread.
std::unique_ptr<Lane> make_inline_lane();

}  // namespace workers
