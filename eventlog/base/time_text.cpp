// Parses from the front, one field at a time, in the C locale and with std::chrono's calendar.
#include "eventlog/base/time_text.hpp"

#include <chrono>
#include <cstdio>

namespace base {
namespace {

using std::chrono::microseconds;

// Removes and returns a number of exactly `digits` digits; negative if they are not there.
std::int64_t take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  std::int64_t value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take_char(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::chrono::sys_days> take_date(std::string_view& text) {
  const std::int64_t year = take_number(text, 4);
  if (year < 1970 || !take_char(text, '-')) return std::nullopt;
  const std::int64_t month = take_number(text, 2);
  if (month < 1 || !take_char(text, '-')) return std::nullopt;
  const std::int64_t day = take_number(text, 2);
  if (day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

// Removes and returns the digits behind the point: 1 to 6.
std::optional<microseconds> take_fraction(std::string_view& text) {
  std::int64_t value = 0;
  std::size_t digits = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; ++digits) {
    value = value * 10 + take_number(text, 1);
    if (digits == 6) return std::nullopt;
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 6; ++digits) value *= 10;
  return microseconds(value);
}

std::optional<microseconds> take_time_of_day(std::string_view& text) {
  const std::int64_t hours = take_number(text, 2);
  if (hours < 0 || hours > 23 || !take_char(text, ':')) return std::nullopt;
  const std::int64_t minutes = take_number(text, 2);
  if (minutes < 0 || minutes > 59) return std::nullopt;
  microseconds total = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  if (!take_char(text, ':')) return total;
  const std::int64_t seconds = take_number(text, 2);
  if (seconds < 0 || seconds > 59) return std::nullopt;
  total += std::chrono::seconds(seconds);
  if (!take_char(text, '.')) return total;
  const auto fraction = take_fraction(text);
  return fraction ? std::optional(total + *fraction) : std::nullopt;
}

}  // namespace

std::string time_text(Time time) {
  const std::chrono::sys_time<microseconds> point{microseconds(time.us)};
  const auto day = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(point - day);
  char text[96];
  const int length = std::snprintf(
      text, sizeof text, "%04d-%02u-%02uT%02ld:%02ld:%02ld.%06ldZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<long>(clock.hours().count()), static_cast<long>(clock.minutes().count()),
      static_cast<long>(clock.seconds().count()), static_cast<long>(clock.subseconds().count()));
  return {text, static_cast<std::size_t>(length)};
}

std::optional<Time> parse_time_text(std::string_view text) {
  const auto day = take_date(text);
  if (!day) return std::nullopt;
  microseconds since_midnight{0};
  if (take_char(text, 'T') || take_char(text, ' ')) {
    const auto time_of_day = take_time_of_day(text);
    if (!time_of_day) return std::nullopt;
    since_midnight = *time_of_day;
  }
  take_char(text, 'Z');
  if (!text.empty()) return std::nullopt;
  return Time{(day->time_since_epoch() + since_midnight) / microseconds(1)};
}

std::string duration_text(Duration duration) {
  const std::int64_t seconds =
      std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(duration).count());
  if (seconds < 60) return std::to_string(seconds) + "s";
  return std::to_string(seconds / 60) + "m" + std::to_string(seconds % 60) + "s";
}

}  // namespace base
