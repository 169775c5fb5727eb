// simdjson validates the UTF-8: prompts have up to 64 MiB. Short texts are most often ASCII, which
// is seen sooner than simdjson is called.
#include "eventlog/base/bytes.hpp"

#include <simdjson.h>

#include <algorithm>

namespace base {

bool is_utf8(ByteView in) {
  constexpr std::size_t kShortBytes = 64;
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (in.size() <= kShortBytes && std::all_of(in.begin(), in.end(), is_ascii)) return true;
  return simdjson::validate_utf8(in.data(), in.size());
}

}  // namespace base
