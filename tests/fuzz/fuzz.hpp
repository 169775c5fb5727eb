// The parts of a fuzz target. A target is one file here that defines fuzz::run, and one line in
// CMakeLists.txt. It is linked with libFuzzer (preset `fuzz`) or with replay.cpp (all others).
// README.md says what each target covers.
#pragma once

#include <array>
#include <cstdint>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/random.hpp"

namespace fuzz {

using base::Bytes;
using base::ByteView;

// Defined once in each target. Any bytes are allowed; a broken rule ends the process. At most
// kMemoryBase + kMemoryFactor * in.size() bytes of memory can be in use at once while it runs. So
// no input can make a decoder ask for much more than it brought.
void run(ByteView in);

constexpr std::size_t kMemoryBase = 512 << 10;
constexpr std::size_t kMemoryFactor = 64;

// Runs the target under that bound.
void run_bounded(ByteView in);

// Ends the process with the name of the invariant that does not hold.
[[noreturn]] void fail(const char* what);
inline void require(bool holds, const char* what) {
  if (!holds) fail(what);
}

// Takes pieces off the input; behind its end there are zeros. `in` must outlive the source and
// every piece that it returns.
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
  // Returns the next `size` bytes, or fewer at the end.
  ByteView take(std::size_t size) {
    const ByteView piece = in_.substr(0, size);
    in_.remove_prefix(piece.size());
    return piece;
  }
  // Reads a length of two bytes, then returns that many.
  ByteView piece() {
    const std::size_t high = byte();
    return take(high << 8 | byte());
  }
  ByteView rest() { return take(in_.size()); }
  bool is_empty() const { return in_.empty(); }

 private:
  ByteView in_;
};

// Generators that draw from the Random port draw from the input; a small number costs one byte.
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

// Changes `bytes` in up to three places that the source chooses: other values, gaps, repeated
// parts.
void damage(Source& source, Bytes& bytes);

}  // namespace fuzz
