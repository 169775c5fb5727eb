// What a fuzz target is made of. A target is one file here that defines fuzz::run, and one line in
// CMakeLists.txt; it is linked with libFuzzer (preset `fuzz`) or with replay.cpp (all others).
// README.md says what each target covers.
#pragma once

#include <array>
#include <cstdint>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/random.hpp"

namespace fuzz {

using base::Bytes;
using base::ByteView;

// Defined once in each target. Any bytes are allowed; what they must not do ends the process. While
// it runs, no more memory may be in use at once than kMemoryBase + kMemoryFactor * in.size(), so
// that no input makes a decoder ask for much more than it brought.
void run(ByteView in);

constexpr std::size_t kMemoryBase = 512 << 10;
constexpr std::size_t kMemoryFactor = 64;

// Runs the target and holds it to that bound.
void run_bounded(ByteView in);

// An invariant: ends the process, naming what did not hold.
[[noreturn]] void fail(const char* what);
inline void require(bool holds, const char* what) {
  if (!holds) fail(what);
}

// Takes pieces off the input, whatever its length: behind its end there are zeros. `in` must
// outlive it and what it returns.
class Source {
 public:
  explicit Source(ByteView in) : in_(in) {}

  std::uint8_t byte() {
    if (in_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(in_.front());
    in_.remove_prefix(1);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return value;
  }
  // At most `size` bytes.
  ByteView take(std::size_t size) {
    const ByteView piece = in_.substr(0, size);
    in_.remove_prefix(piece.size());
    return piece;
  }
  // A length of two bytes, then so much.
  ByteView piece() {
    const std::size_t high = byte();
    return take(high << 8 | byte());
  }
  ByteView rest() { return take(in_.size()); }
  bool is_empty() const { return in_.empty(); }

 private:
  ByteView in_;
};

// Lets generators that draw from the Random port draw from the input: small numbers cost a byte.
class SourceRandom final : public base::Random {
 public:
  explicit SourceRandom(Source& source) : source_(source) {}
  std::uint64_t next() override {
    const std::uint8_t small = source_.byte();
    return small < 0xF0 ? small : source_.number();
  }

 private:
  Source& source_;
};

// Changes `bytes` in up to three places, as the source says: other values, gaps, doubled parts.
void damage(Source& source, Bytes& bytes);

}  // namespace fuzz
