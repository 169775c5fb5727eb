// Counts sessions in words.
#include "tools/steno/text/units.hpp"

namespace steno {

std::string places_text(std::int64_t live, std::int64_t parked, std::int64_t sessions_max) {
  return std::to_string(live - parked) + " running of " + std::to_string(sessions_max) +
         (parked == 0 ? "" : ", " + std::to_string(parked) + " parked");
}

}  // namespace steno
