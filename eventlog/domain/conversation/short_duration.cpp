// Counts in whole milliseconds. Digits after the point are weighed with integers, so that no
// binary fraction moves a half.
#include "eventlog/domain/conversation/short_duration.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "eventlog/base/digits.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kMsMax = std::numeric_limits<std::int64_t>::max() / 1'000;
// A day has 86.4 million ms: so many digits of a fraction of it still fit into 64 bits. Later ones
// are less than a microsecond.
constexpr std::size_t kFractionDigits = 10;

std::optional<base::Duration> unit_of(std::string_view word) {
  if (word == "ms") return milliseconds(1);
  if (word == "s") return std::chrono::seconds(1);
  if (word == "m") return std::chrono::minutes(1);
  if (word == "h") return std::chrono::hours(1);
  if (word == "d") return std::chrono::hours(24);
  return std::nullopt;
}

// Takes the digits off the beginning of the text.
std::string_view take_digits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

// Returns that fraction of `unit_ms`, rounded; none if there are no digits.
std::optional<std::int64_t> fraction_ms(std::string_view digits, std::int64_t unit_ms) {
  digits = digits.substr(0, kFractionDigits);
  const auto numerator = base::parse_digits(digits);
  if (!numerator) return std::nullopt;
  std::int64_t denominator = 1;
  for (std::size_t i = 0; i < digits.size(); ++i) denominator *= 10;
  return (*numerator * unit_ms + denominator / 2) / denominator;
}

}  // namespace

std::optional<base::Duration> parse_short_duration(std::string_view text, base::Duration unit) {
  const std::string word = small_letters(trimmed(text));
  std::string_view rest = word;
  const auto whole = base::parse_digits(take_digits(rest));
  if (!whole) return std::nullopt;
  std::optional<std::string_view> digits;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    digits = take_digits(rest);
  }
  const auto named = rest.empty() ? std::optional(unit) : unit_of(rest);
  if (!named) return std::nullopt;
  const std::int64_t unit_ms = *named / milliseconds(1);
  const auto fraction = digits ? fraction_ms(*digits, unit_ms) : std::optional<std::int64_t>(0);
  if (!fraction || *whole > (kMsMax - *fraction) / unit_ms) return std::nullopt;
  return milliseconds(*whole * unit_ms + *fraction);
}

}  // namespace domain
