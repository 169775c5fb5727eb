// Cuts the text of a time at the second; reads and writes durations without a locale.
#include "workers/text/amounts.hpp"

#include <algorithm>
#include <array>

#include "eventlog/base/digits.hpp"
#include "eventlog/base/time_text.hpp"

namespace workers {
namespace {

constexpr base::Duration kDurationMax = std::chrono::hours(24 * 366);

struct Unit {
  std::string_view name;
  base::Duration length;
};
// Largest first, which exact_duration_text relies on.
constexpr std::array kUnits{
    Unit{"d", std::chrono::hours(24)},        Unit{"h", std::chrono::hours(1)},
    Unit{"m", std::chrono::minutes(1)},       Unit{"s", std::chrono::seconds(1)},
    Unit{"ms", std::chrono::milliseconds(1)}, Unit{"us", base::Duration{1}}};

}  // namespace

std::string tasks_text(std::int64_t tasks) {
  return std::to_string(tasks) + (tasks == 1 ? " task" : " tasks");
}

std::string short_time_text(base::Time time) {
  constexpr std::size_t kToTheSecond = 19;
  return base::time_text(time).substr(0, kToTheSecond) + "Z";
}

std::optional<base::Duration> parse_duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = base::parse_digits(text.substr(0, digits));
  const std::string_view suffix = text.substr(digits);
  if (!count) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (suffix != unit.name) continue;
    if (*count > kDurationMax / unit.length) return std::nullopt;
    return *count * unit.length;
  }
  return std::nullopt;
}

std::string exact_duration_text(base::Duration duration) {
  for (const Unit& unit : kUnits) {
    // The largest exact unit: "90s" is shorter than "1m30s", and zero is "0s".
    const bool is_exact = duration % unit.length == base::Duration{0} && duration >= unit.length;
    if (is_exact) return std::to_string(duration / unit.length) + std::string(unit.name);
  }
  return "0s";
}

}  // namespace workers
