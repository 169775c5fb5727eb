// What a crash test cannot go on without.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"
#include "tests/support/catch.hpp"

namespace crash {

template <class T>
T require(base::Result<T> result) {
  if (!result) FAIL(base::describe(result.error()));
  return std::move(*result);
}

}  // namespace crash
