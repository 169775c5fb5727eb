// Writes with stdio and without a logger, since the logger can be what broke.
#include "eventlog/base/check.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace base {
namespace {

std::function<void()>& last_words() {
  static std::function<void()> function;
  return function;
}

}  // namespace

void on_check_failed(std::function<void()> function) {
  last_words() = std::move(function);
}

void check_failed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "CHECK failed: %s at %s:%d\n", expression, file, line);
  if (const auto function = std::exchange(last_words(), nullptr)) function();
  std::abort();
}

}  // namespace base
