// Numbers are drawn from the kernel 256 bytes at a time and wiped when they are used.
#include "eventlog/base/random.hpp"

#include <sys/random.h>

#include <utility>

#include "eventlog/base/check.hpp"

namespace base {

std::uint64_t SystemRandom::next() {
  if (left_ == 0) {
    CHECK(getrandom(drawn_.data(), sizeof drawn_, 0) == static_cast<ssize_t>(sizeof drawn_));
    left_ = drawn_.size();
  }
  return std::exchange(drawn_[--left_], 0);
}

std::uint64_t SeededRandom::next() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace base
