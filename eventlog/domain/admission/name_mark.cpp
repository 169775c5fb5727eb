// A mark is a hash of the name, cut to 24 bits. Its constants are part of the format of facts.
#include "eventlog/domain/admission/name_mark.hpp"

namespace domain {

// FNV-1a of 64 bits, whose upper half is the better mixed one.
std::int64_t name_mark(std::string_view name) {
  std::uint64_t bits = 0xCBF29CE484222325;
  for (const char c : name) bits = (bits ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  bits ^= bits >> 32;
  return static_cast<std::int64_t>(bits & ((std::uint64_t{1} << kNameMarkBits) - 1)) + 1;
}

}  // namespace domain
