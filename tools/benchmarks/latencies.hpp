// Durations and their quantiles.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace benchmarks {

using Nanoseconds = std::chrono::nanoseconds;

// Advances evenly; its zero has no meaning.
inline Nanoseconds now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

inline double seconds(Nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

inline double microseconds(Nanoseconds time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

class Latencies {
 public:
  void add(Nanoseconds took) { values_.push_back(took); }
  void add(const Latencies& others) {
    values_.insert(values_.end(), others.values_.begin(), others.values_.end());
  }
  std::size_t count() const { return values_.size(); }

  // Returns the value at `share` (0 to 1) of the sorted values, rounded to the nearest; zero if
  // empty.
  Nanoseconds quantile(double share) const {
    if (values_.empty()) return Nanoseconds{0};
    std::vector<Nanoseconds> sorted = values_;
    const auto last = static_cast<double>(sorted.size() - 1);
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(share * last + 0.5);
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
  }
  Nanoseconds p50() const { return quantile(0.50); }
  Nanoseconds p99() const { return quantile(0.99); }

 private:
  std::vector<Nanoseconds> values_;
};

// "p50 214 us, p99 803 us"
std::string p50_and_p99(const Latencies& latencies);

// Returns the middle value; of an even number the mean of both middle ones; 0 if empty.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace benchmarks
