// Each unit is rounded from the next smaller one, halves upwards.
#include "eventlog/domain/conversation/short_age.hpp"

namespace domain {
namespace {

constexpr const char* kNone = "n/a";

bool is_some(const std::optional<base::Duration>& duration) {
  return duration && duration->count() > 0;
}

// Divides without a sum that could overflow.
std::int64_t rounded(std::int64_t count, std::int64_t unit) {
  return count / unit + (count % unit >= (unit + 1) / 2 ? 1 : 0);
}

}  // namespace

std::string short_duration(std::optional<base::Duration> duration) {
  if (!is_some(duration)) return kNone;
  const std::int64_t seconds = rounded(duration->count(), 1'000'000);
  const std::int64_t minutes = seconds / 60;
  if (minutes == 0) return std::to_string(seconds) + "s";
  if (minutes < 60) return std::to_string(minutes) + "m" + std::to_string(seconds % 60) + "s";
  return std::to_string(minutes / 60) + "h" + std::to_string(minutes % 60) + "m";
}

std::string short_age(std::optional<base::Duration> age) {
  if (!is_some(age)) return kNone;
  const std::int64_t minutes = rounded(age->count(), 60'000'000);
  if (minutes == 0) return "just now";
  if (minutes < 60) return std::to_string(minutes) + "m ago";
  const std::int64_t hours = rounded(minutes, 60);
  if (hours < 48) return std::to_string(hours) + "h ago";
  return std::to_string(rounded(hours, 24)) + "d ago";
}

}  // namespace domain
