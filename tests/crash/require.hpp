// What a crash test cannot go on without.
#pragma once

#include <cstdlib>
#include <string>

#include "eventlog/base/result.hpp"
#include "tests/support/catch.hpp"

namespace crash {

template <class T>
T require(base::Result<T> result) {
  if (!result) FAIL(base::describe(result.error()));
  return std::move(*result);
}

// A number from the environment.
inline std::int64_t number_from(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoll(text);
}

}  // namespace crash
