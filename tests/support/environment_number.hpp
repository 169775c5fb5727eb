// A number from the environment of a test. One that cannot be read fails the test: a wrong number
// could make it play nothing, and pass.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace support {

// Returns the variable's number, or `otherwise` if it is not set. Throws, naming variable and
// value, unless its whole text is a decimal number of at least `least`.
inline std::int64_t environment_number(const char* variable, std::int64_t otherwise,
                                       std::int64_t least = 1) {
  const char* set = std::getenv(variable);
  if (set == nullptr) return otherwise;
  const std::string_view text = set;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  if (error == std::errc{} && end == text.end() && value >= least) return value;
  throw std::invalid_argument(std::string(variable) + " is '" + set +
                              "'; it must be a number from " + std::to_string(least) + " on");
}

}  // namespace support
