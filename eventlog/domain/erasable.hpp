// Tells which streams hold texts that can be erased: those whose aggregate has joined
// ContentEvents. No other stream may be given one of these events.
#pragma once

#include "eventlog/domain/stream_name.hpp"

namespace domain {
namespace detail {
template <class... A>
bool can_be_erased(base::Types<A...>, const StreamRef& stream) {
  return ((kHasTexts<A> && stream.is<A>()) || ...);
}
}  // namespace detail

inline bool can_be_erased(const StreamRef& stream) {
  return detail::can_be_erased(Aggregates{}, stream);
}
// False also for a name that is no stream's.
inline bool can_be_erased(std::string_view stream) {
  const auto ref = parse_stream(stream);
  return ref && can_be_erased(*ref);
}

}  // namespace domain
