// Where a loop's time goes: how long commands stay in each stage, and the longest gap between two
// calls of do_work. Histograms with two significant digits, as HdrHistogram has them: a bucket for
// each of 16 steps of every power of two.
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
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("count", self.count);
    visit("p50_us", self.p50_us);
    visit("p99_us", self.p99_us);
    visit("max_us", self.max_us);
  }
};

struct StageTimes {
  StageTime inbox;   // received → decided
  StageTime commit;  // decided → durable and answered
  StageTime total;   // received → answered
  StageTime gap;     // between two duty cycles, while there was work

  bool operator==(const StageTimes&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("inbox", self.inbox);
    visit("commit", self.commit);
    visit("total", self.total);
    visit("gap", self.gap);
  }
};

class Histogram {
 public:
  void add(base::Duration value);
  StageTime summary() const;

 private:
  // Upper end of the first bucket with which so many of a hundred values have been seen; 0: none.
  std::int64_t quantile_us(std::int64_t percent) const;

  static constexpr std::size_t kStepsPerDoubling = 16;
  static constexpr std::size_t kBuckets = 36 * kStepsPerDoubling;  // up to about 19 hours

  std::array<std::int64_t, kBuckets> buckets_{};
  std::int64_t count_ = 0;
  std::int64_t max_us_ = 0;
};

// Used by the loop's own thread.
class DutyCycle {
 public:
  void begin(base::Duration now);
  void end(bool has_worked) { was_busy_ = has_worked; }

  Histogram inbox;
  Histogram commit;
  Histogram total;
  StageTimes times() const {
    return {inbox.summary(), commit.summary(), total.summary(), gap_.summary()};
  }

 private:
  Histogram gap_;
  base::Duration last_{0};
  bool was_busy_ = false;
};

}  // namespace workers
