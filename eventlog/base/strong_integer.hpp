// Integers that cannot be mixed up: a position is not a version, a version is not a token.
#pragma once

#include <compare>
#include <cstdint>

namespace base {

template <class Tag>
struct StrongInteger {
  std::int64_t value = 0;

  constexpr auto operator<=>(const StrongInteger&) const = default;
  constexpr StrongInteger next() const { return {value + 1}; }
  constexpr StrongInteger plus(std::int64_t count) const { return {value + count}; }
};

using Position = StrongInteger<struct PositionTag>;            // 1, 2, 3 … in the log; 0 = before
using StreamVersion = StrongInteger<struct StreamVersionTag>;  // events in the stream; 0 = none
using FencingToken = StrongInteger<struct FencingTokenTag>;    // grows with each lease; 0 = none
using NanoUsd = StrongInteger<struct NanoUsdTag>;              // money, 1e-9 US dollar

}  // namespace base
