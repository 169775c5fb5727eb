// Durations and times in the form that people write and read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/time.hpp"
#include "eventlog/base/time_text.hpp"
#include "eventlog/base/usd_text.hpp"

namespace steno {

using base::Duration;
using base::Time;

// Parses "500ms", "30s", "5m", "2h", "90d". No value: anything else, a number
// without a unit, or more than 366 days.
std::optional<Duration> parse_duration(std::string_view text);
// Returns the duration in the largest unit without a remainder: "90s", "5m", "1500ms", "7us".
std::string exact_duration_text(Duration duration);
using base::duration_text;

// Returns "1 task" or "2 tasks".
std::string tasks_text(std::int64_t tasks);

// Returns how many of the live sessions count towards the limit, as "2 running of 5, 3 parked".
std::string places_text(std::int64_t live, std::int64_t parked, std::int64_t sessions_max);

// Returns "2026-11-20T15:42:07Z"; time_text.hpp has it with its fraction.
std::string short_time_text(Time time);

}  // namespace steno
