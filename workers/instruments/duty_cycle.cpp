// A value's bucket follows from its highest bits, so adding one costs a few instructions and no
// search.
#include "workers/instruments/duty_cycle.hpp"

#include <algorithm>
#include <bit>

namespace workers {
namespace {

constexpr unsigned kStepBits = 4;  // 16 steps a doubling

std::size_t bucket_of(std::uint64_t us) {
  if (us < (1u << kStepBits)) return us;
  const auto width = static_cast<unsigned>(std::bit_width(us));
  const unsigned shift = width - kStepBits - 1;
  const std::uint64_t step = (us >> shift) & ((1u << kStepBits) - 1);
  return (static_cast<std::size_t>(shift + 1) << kStepBits) + step;
}

std::int64_t upper_end(std::size_t bucket) {
  if (bucket < (1u << kStepBits)) return static_cast<std::int64_t>(bucket);
  const std::size_t shift = (bucket >> kStepBits) - 1;
  const std::size_t step = bucket & ((1u << kStepBits) - 1);
  return static_cast<std::int64_t>((((1u << kStepBits) + step + 1) << shift) - 1);
}

}  // namespace

void Histogram::add(base::Duration value) {
  const std::int64_t us = std::max<std::int64_t>(0, value.count());
  const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(us));
  ++buckets_[std::min(bucket, kBuckets - 1)];
  ++count_;
  max_us_ = std::max(max_us_, us);
}

StageTime Histogram::summary() const {
  return {count_, quantile_us(50), quantile_us(99), max_us_};
}

std::int64_t Histogram::quantile_us(std::int64_t percent) const {
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen * 100 >= count_ * percent) return std::min(upper_end(i), max_us_);
  }
  return max_us_;
}

void DutyCycle::begin(base::Duration now) {
  if (was_busy_) gap_.add(now - last_);
  last_ = now;
}

void DutyCycle::add(const CommandTimes& times, base::Duration answered) {
  inbox_.add(times.taken - times.received);
  decide_.add(times.appended - times.taken);
  sync_.add(times.durable - times.appended);
  reply_.add(answered - times.durable);
  total_.add(answered - times.received);
}

}  // namespace workers
