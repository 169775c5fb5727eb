// Computes in whole nano-dollars: no locale, no rounding of what is read.
#include "eventlog/base/usd_text.hpp"

#include "eventlog/base/digits.hpp"

namespace base {
namespace {

constexpr std::int64_t kNanoPerUsd = 1'000'000'000;
constexpr std::int64_t kUsdMax = 9'000'000;
constexpr std::size_t kUsdDecimals = 9;

std::string padded(std::int64_t value, std::size_t width) {
  std::string digits = std::to_string(value);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

}  // namespace

std::optional<NanoUsd> parse_usd(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto dollars = parse_digits(text.substr(0, point));
  if (!dollars || *dollars > kUsdMax) return std::nullopt;
  std::int64_t nano = 0;
  if (point != std::string_view::npos) {
    std::string decimals(text.substr(point + 1));
    if (decimals.empty() || decimals.size() > kUsdDecimals) return std::nullopt;
    decimals.append(kUsdDecimals - decimals.size(), '0');
    const auto parsed = parse_digits(decimals);
    if (!parsed) return std::nullopt;
    nano = *parsed;
  }
  return NanoUsd{*dollars * kNanoPerUsd + nano};
}

std::string usd_text(NanoUsd amount) {
  constexpr std::int64_t kStep = kNanoPerUsd / 10'000;
  const bool is_negative = amount.value < 0;
  const std::int64_t magnitude = is_negative ? -amount.value : amount.value;
  const std::int64_t steps = (magnitude + kStep / 2) / kStep;
  std::string text = is_negative && steps != 0 ? "-" : "";
  text += std::to_string(steps / 10'000);
  text += '.';
  text += padded(steps % 10'000, 4);
  return text;
}

std::string exact_usd_text(NanoUsd amount) {
  const bool is_negative = amount.value < 0;
  const std::int64_t magnitude = is_negative ? -amount.value : amount.value;
  std::string text = is_negative ? "-" : "";
  text += std::to_string(magnitude / kNanoPerUsd);
  if (const std::int64_t nano = magnitude % kNanoPerUsd; nano != 0) {
    text += '.';
    text += padded(nano, kUsdDecimals);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

}  // namespace base
