// CHECK: a broken invariant of our own. On in every build; writes one line to stderr and aborts.
// Never used on input from outside, which is refused with an Error instead.
#pragma once

namespace base {

// Prints "CHECK failed: <expression> at <file>:<line>" and aborts. Never returns.
[[noreturn]] void check_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace base

#define CHECK(expression) \
  ((expression) ? static_cast<void>(0) : ::base::check_failed(#expression, __FILE__, __LINE__))
