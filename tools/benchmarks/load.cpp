// Both loops keep a fixed set of slots; the open loop waits for its beat on a timerfd.
#include "tools/benchmarks/load.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <numeric>

#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

constexpr Nanoseconds kSilenceMax = std::chrono::seconds(20);  // without any answer at all

// Shared by both loops: the free slots, and when those in use were begun or due.
class Slots {
 public:
  Slots(LoadTarget& target, std::size_t count) : target_(target), since_(count), free_(count) {
    std::iota(free_.rbegin(), free_.rend(), std::size_t{0});
  }

  bool has_free() const { return !free_.empty(); }
  bool is_idle() const { return free_.size() == since_.size(); }

  base::Result<void> start(Nanoseconds since) {
    const std::size_t slot = free_.back();
    free_.pop_back();
    since_[slot] = since;
    return target_.start(slot);
  }

  // Returns true if any request was answered.
  base::Result<bool> advance(Latencies& latencies) {
    if (is_stopped()) return stopped();
    done_.clear();
    if (auto ok = target_.advance(done_); !ok) return tl::unexpected(ok.error());
    const Nanoseconds at = now();
    for (const std::size_t slot : done_) {
      latencies.add(at - since_[slot]);
      free_.push_back(slot);
    }
    if (!done_.empty() || is_idle()) heard_ = at;
    if (at - heard_ > kSilenceMax) {
      return base::failure(base::ErrorCode::timeout, "the server has stopped answering");
    }
    return !done_.empty();
  }

 private:
  LoadTarget& target_;
  std::vector<Nanoseconds> since_;
  std::vector<std::size_t> free_;
  std::vector<std::size_t> done_;
  Nanoseconds heard_ = now();
};

// A descriptor that is readable from a moment on.
class Timer {
 public:
  Timer() : fd_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}
  ~Timer() { close(fd_); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  int fd() const { return fd_; }
  void set(Nanoseconds at) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    itimerspec spec{};
    spec.it_value.tv_sec = at.count() / kSecond;
    spec.it_value.tv_nsec = at.count() % kSecond;
    timerfd_settime(fd_, TFD_TIMER_ABSTIME, &spec, nullptr);
  }

 private:
  const int fd_;
};

}  // namespace

base::Result<LoadResult> run_closed_loop(LoadTarget& target, const ClosedLoop& loop) {
  Slots slots(target, loop.outstanding);
  LoadResult result;
  const Nanoseconds begun = now();
  const Nanoseconds end = begun + loop.duration;
  std::size_t started = 0;
  for (;;) {
    const Nanoseconds at = now();
    while (slots.has_free() && started < loop.count_max && at < end) {
      result.since.push_back(now());
      if (auto ok = slots.start(result.since.back()); !ok) return tl::unexpected(ok.error());
      ++started;
    }
    if (slots.is_idle()) break;
    const auto has_done = slots.advance(result.latencies);
    if (!has_done) return tl::unexpected(has_done.error());
    if (*has_done) continue;
    if (auto ok = target.wait(-1); !ok) return tl::unexpected(ok.error());
  }
  result.took = now() - begun;
  return result;
}

base::Result<LoadResult> run_open_loop(LoadTarget& target, const OpenLoop& loop) {
  Slots slots(target, loop.outstanding_max);
  Timer timer;
  LoadResult result;
  const Nanoseconds begun = now();
  const auto total = static_cast<std::size_t>(loop.per_second * seconds(loop.duration));
  // Returns the beat in which request number n is due.
  const auto due_of = [&](std::size_t n) {
    const auto due =
        Nanoseconds(static_cast<std::int64_t>(static_cast<double>(n) * 1e9 / loop.per_second));
    return begun + (due / loop.beat + 1) * loop.beat;
  };
  std::size_t started = 0;
  while (started < total || !slots.is_idle()) {
    while (started < total && slots.has_free() && due_of(started) <= now()) {
      result.since.push_back(due_of(started));
      if (auto ok = slots.start(result.since.back()); !ok) return tl::unexpected(ok.error());
      ++started;
    }
    const auto has_done = slots.advance(result.latencies);
    if (!has_done) return tl::unexpected(has_done.error());
    if (*has_done || (started < total && slots.has_free() && due_of(started) <= now())) continue;
    const bool waits_for_beat = started < total && slots.has_free();
    if (waits_for_beat) timer.set(due_of(started));
    if (auto ok = target.wait(waits_for_beat ? timer.fd() : -1); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  result.took = now() - begun;
  return result;
}

}  // namespace benchmarks
