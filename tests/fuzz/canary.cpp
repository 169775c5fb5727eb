// A decoder with a deliberate bug, which the driver must find: it believes a length before it has
// seen the bytes.
#include "tests/fuzz/fuzz.hpp"

void fuzz::run(ByteView in) {
  if (in.size() < 4) return;
  Bytes text;
  text.reserve(base::read_u32(in) % (1u << 24));
  text.append(in.substr(4));
  require(text.size() + 4 == in.size(), "all of it is kept");
}
