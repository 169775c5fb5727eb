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

// Wall time further ahead of log time than this was stepped: no drift comes to so much.
constexpr Duration kClockStepMin = std::chrono::seconds(2);
// A forward step that stays for so long is taken.
constexpr Duration kClockStepStays = std::chrono::seconds(5);

// Turns both readings into log time. It never decreases, advances with the boot-time clock, and is
// drawn towards wall time by at most 1 ms for each second that passed. Wall time that was stepped
// forward, and goes on evenly from there for kClockStepStays, becomes log time; one that was
// stepped back is waited for. Used by one thread.
class LogClock {
 public:
  // `last`: log time of the last event in the log; log time continues from there.
  LogClock(Clock& clock, Time last) : clock_(clock), now_(last) {}
  Time now();
  // By how much wall time was ahead of log time at the last call; negative: it was behind.
  Duration lead() const { return lead_; }

 private:
  // Takes a forward step that has stayed for long enough.
  void take_step(Duration boot, Time wall);

  Clock& clock_;
  Time now_;
  Duration boot_{-1};
  Duration lead_{0};
  Duration ahead_since_{-1};  // boot time at which the present step was first seen; below 0: none
  Duration ahead_by_{0};      // wall time less boot time, then
  std::int64_t undrawn_us_ = 0;  // passed but not yet drawn for; below what 1 µs is drawn for
};

}  // namespace base
