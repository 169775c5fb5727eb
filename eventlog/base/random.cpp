#include "eventlog/base/random.hpp"

#include <sys/random.h>

#include "eventlog/base/check.hpp"

namespace base {

std::uint64_t SystemRandom::next() {
  std::uint64_t value = 0;
  CHECK(getrandom(&value, sizeof value, 0) == static_cast<ssize_t>(sizeof value));
  return value;
}

std::uint64_t SeededRandom::next() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace base
