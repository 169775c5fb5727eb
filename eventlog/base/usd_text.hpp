// Amounts of money in the form that people and programs write and read. Integers throughout: no
// float ever holds an amount.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/strong_integer.hpp"

namespace base {

// Parses dollars with up to nine decimals: "5", "0.25", "12.000000001". No value: anything else,
// negative amounts, and more than 9,000,000 dollars, about the largest integer on the wire.
std::optional<NanoUsd> parse_usd(std::string_view text);
// Returns four decimals, rounded half up: "0.0123".
std::string usd_text(NanoUsd amount);
// Returns the exact amount, with as many decimals as it needs: "5", "0.25", "0.000000001".
std::string exact_usd_text(NanoUsd amount);

}  // namespace base
