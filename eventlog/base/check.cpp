#include "eventlog/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace base {

void check_failed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "CHECK failed: %s at %s:%d\n", expression, file, line);
  std::abort();
}

}  // namespace base
