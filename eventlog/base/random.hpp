// Port for randomness, with the system's generator and a seeded one for simulation and tests.
#pragma once

#include <array>
#include <cstdint>

namespace base {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
  // Uniform in [0, bound); bound > 0. The modulo's bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  // True in `percent` of 100 calls.
  bool chance(unsigned percent) { return below(100) < percent; }
};

// The kernel's generator (getrandom), asked for many numbers at once. Fit for keys, salts and ids.
// Used by one thread, and by one process: after a fork, both sides would draw the same numbers.
class SystemRandom final : public Random {
 public:
  std::uint64_t next() override;

 private:
  std::array<std::uint64_t, 32> drawn_{};  // 256 bytes, which getrandom always fills
  std::size_t left_ = 0;                   // unused numbers, at the front of drawn_
};

// splitmix64 (Steele, Lea, Flood 2014): the same numbers from the same seed on every machine.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() override;

 private:
  std::uint64_t state_;
};

}  // namespace base
