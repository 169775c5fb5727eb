// Measures where a loop's time goes: how long commands stay in each stage, and the longest gap
// between two calls of do_work. Histograms keep two significant digits, as HdrHistogram does: a
// bucket for each of 16 steps of every power of two.
//
// The clock is read at five places of a duty cycle, never for a single command. All commands that
// one duty cycle receives, decides or answers together have one time. A stage is therefore measured
// to within the part of the cycle that does this for all of them.
#pragma once

#include <array>
#include <cstdint>

#include "eventlog/base/fields.hpp"

namespace workers {

// Quantiles of one stage, µs, upper ends of buckets.
struct StageTime {
  std::int64_t count = 0;
  std::int64_t p50_us = 0;
  std::int64_t p99_us = 0;
  std::int64_t max_us = 0;

  bool operator==(const StageTime&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("count", &StageTime::count);
    visit("p50_us", &StageTime::p50_us);
    visit("p99_us", &StageTime::p99_us);
    visit("max_us", &StageTime::max_us);
  }
};

// A command passes through the first four, one after the other; their sum is `total`.
struct StageTimes {
  StageTime inbox;   // received → the duty cycle that decides it begins to decide
  StageTime decide;  // → that cycle has decided; its events are in the open block
  StageTime sync;    // → durable; 0 if the answer rests on what was durable before
  StageTime reply;   // → its answer, and all that go with it, are sent
  StageTime total;   // received → sent
  StageTime gap;     // between two duty cycles, while there was work

  bool operator==(const StageTimes&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("inbox", &StageTimes::inbox);
    visit("decide", &StageTimes::decide);
    visit("sync", &StageTimes::sync);
    visit("reply", &StageTimes::reply);
    visit("total", &StageTimes::total);
    visit("gap", &StageTimes::gap);
  }
};

class Histogram {
 public:
  void add(base::Duration value);
  StageTime summary() const;

 private:
  // Returns the upper end of the first bucket at which `percent` of the values were seen; 0: none.
  std::int64_t quantile_us(std::int64_t percent) const;

  static constexpr std::size_t kStepsPerDoubling = 16;
  static constexpr std::size_t kBuckets = 36 * kStepsPerDoubling;  // up to about 19 hours

  std::array<std::int64_t, kBuckets> buckets_{};
  std::int64_t count_ = 0;
  std::int64_t max_us_ = 0;
};

// The boot times at which a command came to the end of each stage, ascending.
struct CommandTimes {
  base::Duration received{0};
  base::Duration taken{0};     // out of the inbox, to be decided
  base::Duration appended{0};  // decided; its events are in the open block
  base::Duration durable{0};
};

// Used by the loop's own thread.
class DutyCycle {
 public:
  void begin(base::Duration now);
  void end(bool has_worked) { was_busy_ = has_worked; }

  void add(const CommandTimes& times, base::Duration answered);
  StageTimes times() const {
    return {inbox_.summary(), decide_.summary(), sync_.summary(),
            reply_.summary(), total_.summary(),  gap_.summary()};
  }

 private:
  Histogram inbox_;
  Histogram decide_;
  Histogram sync_;
  Histogram reply_;
  Histogram total_;
  Histogram gap_;
  base::Duration last_{0};
  bool was_busy_ = false;
};

}  // namespace workers
