// Runs one input under the memory bound; libFuzzer and replay.cpp both call it.
#include "tests/fuzz/fuzz.hpp"

#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/memory.hpp"

namespace fuzz {

void fail(const char* what) {
  std::fprintf(stderr, "fuzz: does not hold: %s\n", what);
  std::abort();
}

void run_bounded(ByteView in) {
  const std::size_t before = begin_peak();
  run(in);
  const std::size_t peak = peak_bytes() - before;
  if (peak <= kMemoryBase + kMemoryFactor * in.size()) return;
  std::fprintf(stderr, "fuzz: an input of %zu bytes took %zu bytes of memory\n", in.size(), peak);
  fail("memory is bounded by the size of the input");
}

void damage(Source& source, Bytes& bytes) {
  for (int places = source.byte() & 3; places > 0 && !bytes.empty(); --places) {
    const std::size_t at = (std::size_t{source.byte()} << 8 | source.byte()) % bytes.size();
    switch (source.byte() & 3) {
      case 0:
        bytes[at] = static_cast<char>(source.byte());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << (source.byte() & 7));
        break;
      case 2:
        bytes.erase(at, 1 + source.byte() % 16u);
        break;
      default:
        bytes.insert(at, bytes.substr(at, 1 + source.byte() % 16u));
    }
  }
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::run_bounded({reinterpret_cast<const char*>(data), size});
  return 0;
}
