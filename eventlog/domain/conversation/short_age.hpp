// How long something took, and how long ago it was, in a few characters: "1m5s", "47h ago". For
// lists that people read; parts below the second unit are rounded away.
#pragma once

#include <optional>
#include <string>

#include "eventlog/base/time.hpp"

namespace domain {

// "45s", "1m5s", "1h0m": to the nearest second, and from an hour on in whole minutes. "n/a" without
// a duration above zero.
std::string short_duration(std::optional<base::Duration> duration);

// "just now", "1m ago", "47h ago", "2d ago": to the nearest minute, hour or day. Days begin at 48
// hours. "n/a" without an age above zero.
std::string short_age(std::optional<base::Duration> age);

}  // namespace domain
