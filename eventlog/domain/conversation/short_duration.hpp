// Durations as users write them in one word: "250ms", "2s", "1.5m", "12h", "1d", and "30" in a unit
// that the place where it stands gives. Decimal, exact, rounded to the nearest millisecond, halves
// up. Source: the duration.parse vectors.
#pragma once

#include <optional>
#include <string_view>

#include "eventlog/base/time.hpp"

namespace domain {

// Returns none for anything else: an empty text, a sign, a blank inside, an exponent, more than a
// Duration holds. White space around it and capital letters are accepted. `unit` is that of a
// number alone, from 1 ms to 1 day.
std::optional<base::Duration> parse_short_duration(std::string_view text, base::Duration unit);

}  // namespace domain
