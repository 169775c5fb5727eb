// Unwraps a result that a crash test cannot continue without; an error fails the test.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"
#include "tests/support/catch.hpp"

namespace crash {

template <class T>
T require(base::Result<T> result) {
  if (!result) FAIL(base::describe(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace crash
