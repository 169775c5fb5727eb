// Durations and times in the form that people write and read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/time.hpp"
#include "eventlog/base/time_text.hpp"
#include "eventlog/base/usd_text.hpp"
#include "workers/text/amounts.hpp"

namespace steno {

using base::Duration;
using base::Time;

using base::duration_text;

using workers::exact_duration_text;
using workers::parse_duration;
using workers::short_time_text;
using workers::tasks_text;

// Returns a time for a list. `is_for_people`: by the clock of this machine's time zone, "18:49" of
// today, "Nov 29 18:49" of this year, else "2025-11-29"; otherwise as short_time_text() has it.
std::string list_time_text(Time time, Time now, bool is_for_people);

// Returns how many of the live sessions count towards the limit, as "2 running of 5, 3 parked".
std::string places_text(std::int64_t live, std::int64_t parked, std::int64_t sessions_max);

}  // namespace steno
