// CHECK: tests an invariant of our own. On in every build; writes one line to stderr and aborts.
// Never used on input from outside, which is refused with an Error instead.
#pragma once

#include <functional>

namespace base {

// Prints "CHECK failed: <expression> at <file>:<line>", calls the function set below, and aborts.
[[noreturn]] void check_failed(const char* expression, const char* file, int line) noexcept;

// Sets the function that is called once, on the failing thread, before the process aborts: to write
// out what led up to the failure. Call before any other thread is started. An empty function does
// nothing.
void on_check_failed(std::function<void()> last_words);

}  // namespace base

#define CHECK(expression) \
  ((expression) ? static_cast<void>(0) : ::base::check_failed(#expression, __FILE__, __LINE__))
