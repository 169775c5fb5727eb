// Times in the form that people read and write: ISO 8601 in UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/time.hpp"

namespace base {

// Returns "2026-11-20T12:00:00.000001Z".
std::string time_text(Time time);

// Returns "45s" below a minute, else "3m20s"; minutes do not become hours. Negative is "0s".
std::string duration_text(Duration duration);

// Parses a date, with or without a time to the minute, the second or a fraction of it. 'T' or a
// space separates them; 'Z' can follow. "2026-11-20", "2026-11-20T12:00", "2026-11-20
// 12:00:00.25Z".
std::optional<Time> parse_time_text(std::string_view text);

}  // namespace base
