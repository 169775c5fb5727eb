// Tells which streams hold texts that can be erased: those whose aggregate has ContentErased among
// its events. No other stream may be given one.
#pragma once

#include <array>

#include "eventlog/domain/stream_name.hpp"

namespace domain {
namespace detail {
template <class... A>
constexpr auto erasable_of(base::Types<A...>) {
  return std::array{base::kContains<ContentErased, typename A::Events>...};
}
inline constexpr auto kErasable = erasable_of(Aggregates{});
}  // namespace detail

// False also for a name that is no stream's.
inline bool can_be_erased(std::string_view stream) {
  const auto ref = parse_stream(stream);
  return ref && detail::kErasable[ref->aggregate];
}

}  // namespace domain
