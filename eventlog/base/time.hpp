// Time points as the log keeps them. Reading a clock is the Clock port's job, never the domain's.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace base {

using Duration = std::chrono::microseconds;

// Microseconds since 1970-01-01 UTC. Log time never decreases; wall time is what the host showed.
struct Time {
  std::int64_t us = 0;

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time operator+(Duration d) const { return {us + d.count()}; }
  constexpr Duration operator-(Time other) const { return Duration{us - other.us}; }
};

// Port. Each reading is taken once a duty cycle and passed down.
class Clock {
 public:
  virtual ~Clock() = default;
  // Advances evenly, also while the host sleeps; its zero has no meaning.
  virtual Duration boot() = 0;
  // The host's own time; it can jump either way.
  virtual Time wall() = 0;
};

class SystemClock final : public Clock {
 public:
  Duration boot() override;
  Time wall() override;
};

// Turns both readings into log time. It never decreases, advances with the boot-time clock, and is
// drawn towards wall time by at most 1 ms for each second that passed. Used by one thread.
class LogClock {
 public:
  // `last`: log time of the last event in the log; log time continues from there.
  LogClock(Clock& clock, Time last) : clock_(clock), now_(last) {}
  Time now();

 private:
  Clock& clock_;
  Time now_;
  Duration boot_{-1};
  std::int64_t undrawn_us_ = 0;  // passed but not yet drawn for; below what 1 µs is drawn for
};

}  // namespace base
