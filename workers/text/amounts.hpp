// Numbers and times in the form that people read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/time.hpp"

namespace workers {

// Parses "500ms", "30s", "5m", "2h", "90d". None: anything else, a number without a unit, or more
// than 366 days.
std::optional<base::Duration> parse_duration(std::string_view text);
// Returns the duration in the largest unit without a remainder: "90s", "5m", "1500ms", "7us".
std::string exact_duration_text(base::Duration duration);

// Returns "1 task" or "2 tasks".
std::string tasks_text(std::int64_t tasks);

// Returns "2026-11-20T15:42:07Z"; time_text.hpp has it with its fraction.
std::string short_time_text(base::Time time);

}  // namespace workers
