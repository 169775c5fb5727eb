// One format for all rows' texts, so that numbers can be compared line by line.
#include "tools/benchmarks/measured.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace benchmarks {

std::string p50_and_p99(const Latencies& latencies) {
  return fmt::format("p50 {:.0f} us, p99 {:.0f} us", microseconds(latencies.p50()),
                     microseconds(latencies.p99()));
}

std::string rate_text(double per_second) {
  const std::string digits = fmt::format("{:.0f}", per_second);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text + "/s";
}

std::string describe(const std::string& what, const Rounds& rounds) {
  const auto [low, high] = std::minmax_element(rounds.rates.begin(), rounds.rates.end());
  return fmt::format("{}: {} ({} to {}), {}", what, rate_text(rounds.rate()), rate_text(*low),
                     rate_text(*high), p50_and_p99(rounds.latencies));
}

double median_ratio(const Rounds& numerator, const Rounds& denominator) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(numerator.rates.size(), denominator.rates.size()); ++i) {
    ratios.push_back(numerator.rates[i] / denominator.rates[i]);
  }
  return median(ratios);
}

std::string describe_open(const std::string& what, double per_second, const LoadResult& result) {
  return fmt::format("{}, open loop at {} ({} reached): {}", what, rate_text(per_second),
                     rate_text(result.per_second()), p50_and_p99(result.latencies));
}

}  // namespace benchmarks
