// Random sequences of operations from rapidcheck, which shrinks a failing one to its necessary
// operations and prints how to repeat it. RC_PARAMS chooses seed and number, such as "seed=7
// max_success=1000"; otherwise both are fixed.
#pragma once

#include <rapidcheck.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace support {

// The kind of an operation and the numbers that choose its form; each kind reads them in its own
// way.
template <class Kind>
struct Operation {
  Kind kind{};
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
};

template <class Kind>
std::ostream& operator<<(std::ostream& out, const Operation<Kind>& operation) {
  return out << "{" << static_cast<int>(operation.kind) << ", " << operation.a << ", "
             << operation.b << ", " << operation.c << "}";
}

template <class Kind>
rc::Gen<std::vector<Operation<Kind>>> operations(int kinds) {
  const auto number = rc::gen::inRange(0U, 1000U);
  return rc::gen::container<std::vector<Operation<Kind>>>(rc::gen::build<Operation<Kind>>(
      rc::gen::set(&Operation<Kind>::kind,
                   rc::gen::map(rc::gen::inRange(0, kinds),
                                [](int kind) { return static_cast<Kind>(kind); })),
      rc::gen::set(&Operation<Kind>::a, number), rc::gen::set(&Operation<Kind>::b, number),
      rc::gen::set(&Operation<Kind>::c, number)));
}

// Runs `machine(sequence)` for many sequences; the machine checks with RC_ASSERT.
template <class Kind, class Machine>
void check_sequences(const char* what, int kinds, Machine&& machine) {
  ::setenv("RC_PARAMS", "seed=1 max_success=100 max_size=80", 0);
  CHECK(rc::check(what, [&] { machine(*operations<Kind>(kinds)); }));
}

}  // namespace support
