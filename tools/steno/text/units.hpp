// Money, durations and times as people write and read them. Integers throughout: no float ever
// holds an amount.
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

// "5", "0.25", "12.000000001": dollars with up to nine decimals. No value: anything else, negative
// amounts, and more than 9,000,000 dollars, which is about what an integer on the wire can hold.
std::optional<NanoUsd> parse_usd(std::string_view text);
// "0.0123": four decimals, rounded half up.
std::string usd_text(NanoUsd amount);
// Exact, with as many decimals as it needs: "5", "0.25", "0.000000001".
std::string exact_usd_text(NanoUsd amount);

// "500ms", "30s", "5m", "2h", "90d"; a bare number is seconds. No value: anything else, or over a
// year.
std::optional<Duration> parse_duration(std::string_view text);
// The largest unit that holds it without rest: "90s", "5m", "1500ms", "7us".
std::string exact_duration_text(Duration duration);
// "45s" below a minute, else "3m20s"; minutes are not turned into hours. Negative is "0s".
std::string duration_text(Duration duration);

// "2026-11-20T15:42:07Z"; time_text.hpp has it with its fraction.
std::string short_time_text(Time time);

}  // namespace steno
