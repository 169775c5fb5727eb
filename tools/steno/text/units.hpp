// Money, durations and times in the form that people write and read. Integers throughout: no float
// ever holds an amount.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/strong.hpp"
#include "eventlog/base/time.hpp"
#include "tools/steno/text/time_text.hpp"

namespace steno {

using base::Duration;
using base::NanoUsd;
using base::Time;

// Parses dollars with up to nine decimals: "5", "0.25", "12.000000001". No value: anything else,
// negative amounts, and more than 9,000,000 dollars, about the largest integer on the wire.
std::optional<NanoUsd> parse_usd(std::string_view text);
// Returns four decimals, rounded half up: "0.0123".
std::string usd_text(NanoUsd amount);
// Returns the exact amount, with as many decimals as it needs: "5", "0.25", "0.000000001".
std::string exact_usd_text(NanoUsd amount);

// Parses "500ms", "30s", "5m", "2h", "90d"; a bare number is seconds. No value: anything else, or
// more than 366 days.
std::optional<Duration> parse_duration(std::string_view text);
// Returns the duration in the largest unit without a remainder: "90s", "5m", "1500ms", "7us".
std::string exact_duration_text(Duration duration);
// Returns "45s" below a minute, else "3m20s"; minutes do not become hours. Negative is "0s".
std::string duration_text(Duration duration);

// Returns "2026-11-20T15:42:07Z"; time_text.hpp has it with its fraction.
std::string short_time_text(Time time);

}  // namespace steno
