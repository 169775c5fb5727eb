// Counts sessions in words.
#include "tools/steno/text/units.hpp"

#include <ctime>

namespace steno {

std::string list_time_text(Time time, Time now, bool is_for_people) {
  if (!is_for_people) return short_time_text(time);
  const std::time_t then = time.us / 1'000'000;
  const std::time_t today = now.us / 1'000'000;
  std::tm at{};
  std::tm current{};
  if (::localtime_r(&then, &at) == nullptr || ::localtime_r(&today, &current) == nullptr) {
    return short_time_text(time);
  }
  const bool is_this_year = at.tm_year == current.tm_year;
  const char* form = is_this_year && at.tm_yday == current.tm_yday ? "%H:%M"
                     : is_this_year                                ? "%b %e %H:%M"
                                                                   : "%Y-%m-%d";
  char text[32];
  return {text, std::strftime(text, sizeof text, form, &at)};
}

std::string places_text(std::int64_t live, std::int64_t parked, std::int64_t sessions_max) {
  return std::to_string(live - parked) + " running of " + std::to_string(sessions_max) +
         (parked == 0 ? "" : ", " + std::to_string(parked) + " parked");
}

}  // namespace steno
