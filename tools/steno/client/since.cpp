// A time is tried first, since it has more digits than an age.
#include "tools/steno/client/since.hpp"

#include <algorithm>

namespace steno {

Outcome<base::Time> since_of(const std::string& text, base::Time now) {
  const auto time = base::parse_time_text(text);
  if (time && *time > now) return fail(kExitUsage, text + " lies in the future");
  if (time) return std::max(*time, base::Time{});
  if (const auto age = parse_duration(text)) return base::Time{now.us - age->count()};
  return fail(kExitUsage,
              "'" + text + "' is neither an age such as 7d, nor a time such as 2026-11-20");
}

}  // namespace steno
