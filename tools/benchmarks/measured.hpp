// Texts of raw measurements, and the rounds of rows that measure rates by turns.
#pragma once

#include <string>
#include <vector>

#include "tools/benchmarks/load.hpp"
#include "tools/benchmarks/row.hpp"

namespace benchmarks {

// "12,345/s"
std::string rate_text(double per_second);

// The rounds of one subject, measured by turns with others.
struct Rounds {
  std::vector<double> rates;  // per second, one a round
  Latencies latencies;

  void add(const LoadResult& result) {
    rates.push_back(result.per_second());
    latencies.add(result.latencies);
  }
  double rate() const { return median(rates); }
};

// "steno, 64 outstanding: 12,345/s (11,000/s to 13,000/s), p50 214 us, p99 803 us"
std::string describe(const std::string& what, const Rounds& rounds);

// Returns the median of the rounds' ratios. The two values of each ratio were measured within
// seconds.
double median_ratio(const Rounds& numerator, const Rounds& denominator);

// "… open loop at 6,000/s: p50 …, p99 …"
std::string describe_open(const std::string& what, double per_second, const LoadResult& result);

}  // namespace benchmarks
