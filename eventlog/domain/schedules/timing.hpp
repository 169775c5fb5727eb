// When a schedule is due: once, in even steps, or as the five fields of a cron line say.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/base/time.hpp"
#include "eventlog/domain/time_zones.hpp"

namespace domain {

enum class ScheduleKind : std::uint8_t {
  at,     // once: "2026-12-01 09:00", local time; with a Z at the end, UTC
  every,  // in steps from the moment at which it was added: "90s", "1h30m", "1d"
  cron,   // at local times: "30 9 * * mon-fri"
};

struct Once {
  std::chrono::seconds local{0};  // since 1970-01-01 00:00
  bool is_utc = false;
};

struct Steps {
  base::Duration step{0};
};

// The fields of a cron line, as POSIX has them, and with names, steps, and Sunday as 7. If both
// kinds of days are limited, a day of either kind counts.
struct CronLine {
  std::bitset<60> minutes;
  std::bitset<24> hours;
  std::bitset<32> month_days;  // from 1
  std::bitset<13> months;      // from 1
  std::bitset<7> week_days;    // from Sunday
  bool is_each_hour = false;   // the hours begin with *
  bool is_month_day_limited = false;
  bool is_week_day_limited = false;
};

using Timing = std::variant<Once, Steps, CronLine>;

// Returns what the text says; else a sentence on what is wrong, with what is accepted.
base::Result<Timing, std::string> parse_timing(ScheduleKind kind, std::string_view text);

// Returns the first moment behind `after` at which the timing is due; none: it is never due again.
// `zone` must be known. `added` is when the schedule was added.
//
// A cron line that names its hours means what the local clock shows: a time that the clock skips is
// due when it jumps, and one that it shows twice is due once. With * for the hours it is due
// whenever the minute comes. So does the cron of Debian.
std::optional<base::Time> next_due(const Timing& timing, const std::string& zone,
                                   const TimeZones& zones, base::Time after, base::Time added);

}  // namespace domain

template <>
struct base::EnumNames<domain::ScheduleKind> {
  static constexpr std::string_view kNames[] = {"at", "every", "cron"};
};
