// A whole number as text: digits alone, without sign and space.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace base {

// Returns none if the text is empty, has anything but digits, or names more than an int64 holds.
inline std::optional<std::int64_t> parse_digits(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() &&
                         !text.empty() && text.front() != '-';
  return is_number ? std::optional(value) : std::nullopt;
}

}  // namespace base
