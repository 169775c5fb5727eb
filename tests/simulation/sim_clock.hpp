// Virtual time: one clock that the world moves, and each process's reading of it, which can run
// fast or slow, or jump.
#pragma once

#include "eventlog/base/time.hpp"

namespace simulation {

using base::Duration;

struct VirtualTime {
  Duration now{0};                          // since the world began
  base::Time began{1'700'000'000'000'000};  // what clocks on the wall showed then
};

class ProcessClock final : public base::Clock {
 public:
  explicit ProcessClock(const VirtualTime& time) : time_(time) {}

  Duration boot() override { return kBootAtBirth + local(time_.now); }
  base::Time wall() override { return time_.began + local(time_.now) + skew_; }

  // Returns the world time at which boot() will have this value; not before now.
  Duration when(Duration boot) const {
    const std::int64_t ahead = (boot - kBootAtBirth - local(time_.now)).count();
    return time_.now + Duration{ahead <= 0 ? 0 : ahead * kMillion / (kMillion + ppm_) + 1};
  }
  // From now on the clock runs faster than the world by `ppm` millionths (slower, below 0).
  void drift(std::int64_t ppm) {
    reached_ = local(time_.now);
    since_ = time_.now;
    ppm_ = ppm;
  }
  void jump(Duration skew) { skew_ = skew; }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;
  static constexpr Duration kBootAtBirth = std::chrono::hours(1);

  Duration local(Duration now) const {
    const std::int64_t passed = (now - since_).count();
    return reached_ + Duration{passed + passed * ppm_ / kMillion};
  }

  const VirtualTime& time_;
  Duration since_{0};    // world time of the last change of rate
  Duration reached_{0};  // local time passed until then
  std::int64_t ppm_ = 0;
  Duration skew_{0};
};

}  // namespace simulation
