// The system's clocks, and the log clock. The latter carries the rest below a millisecond over to
// the next call, so that many short steps are drawn as far as a long one.
#include "eventlog/base/time.hpp"

#include <time.h>

#include <algorithm>

namespace base {
namespace {

Duration read(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return std::chrono::seconds{t.tv_sec} + Duration{t.tv_nsec / 1000};
}

}  // namespace

Duration SystemClock::boot() {
  return read(CLOCK_BOOTTIME);
}

Time SystemClock::wall() {
  return {read(CLOCK_REALTIME).count()};
}

void LogClock::take_step(Duration boot, Time wall) {
  if (lead_ <= kClockStepMin) {
    ahead_since_ = Duration{-1};
    return;
  }
  // Another step begins the wait anew.
  const Duration by = Duration{wall.us} - boot;
  const Duration moved = by > ahead_by_ ? by - ahead_by_ : ahead_by_ - by;
  if (ahead_since_.count() < 0 || moved > kClockStepMin) {
    ahead_since_ = boot;
    ahead_by_ = by;
  } else if (boot - ahead_since_ >= kClockStepStays) {
    now_ = wall;
    lead_ = Duration{0};
    ahead_since_ = Duration{-1};
  }
}

Time LogClock::now() {
  const Duration boot = clock_.boot();
  const Time wall = clock_.wall();
  if (boot_.count() < 0) {
    now_ = std::max(now_, wall);
  } else {
    const std::int64_t passed = std::max<std::int64_t>(0, (boot - boot_).count());
    now_.us += passed;
    undrawn_us_ += passed;
    const std::int64_t draw_max = undrawn_us_ / 1000;
    undrawn_us_ %= 1000;
    now_.us += std::clamp<std::int64_t>(wall.us - now_.us, -std::min(draw_max, passed), draw_max);
  }
  lead_ = wall - now_;
  take_step(boot, wall);
  boot_ = boot;
  return now_;
}

}  // namespace base
