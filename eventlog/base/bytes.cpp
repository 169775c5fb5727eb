// simdjson validates the UTF-8: prompts have up to 64 MiB.
#include "eventlog/base/bytes.hpp"

#include <simdjson.h>

namespace base {

bool is_utf8(ByteView in) {
  return simdjson::validate_utf8(in.data(), in.size());
}

}  // namespace base
