// Sums of figures that agents report. They are input from outside, and a stored integer must stay
// below base::kIntegerLimit. So a sum stops there: at 9 million dollars, or at 285,000 years of
// milliseconds.
#pragma once

#include <algorithm>

#include "eventlog/domain/types.hpp"

namespace projections {

inline void clamp(std::int64_t& value) {
  value = std::clamp<std::int64_t>(value, 1 - base::kIntegerLimit, base::kIntegerLimit - 1);
}

inline void clamp(domain::Usage& usage) {
  for (std::int64_t* value : {&usage.input_tokens, &usage.output_tokens, &usage.cache_read_tokens,
                              &usage.cache_creation_tokens}) {
    clamp(*value);
  }
}

// Both summands must be below the limit, so that their sum does not overflow before it is clamped.
inline void add(std::int64_t& sum, std::int64_t value) {
  sum += value;
  clamp(sum);
}

inline void add(domain::Usage& sum, const domain::Usage& usage) {
  add(sum.input_tokens, usage.input_tokens);
  add(sum.output_tokens, usage.output_tokens);
  add(sum.cache_read_tokens, usage.cache_read_tokens);
  add(sum.cache_creation_tokens, usage.cache_creation_tokens);
}

}  // namespace projections
