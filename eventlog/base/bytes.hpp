// Byte strings, and the big-endian integers that keys and headers are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace base {

using Bytes = std::string;          // owns
using ByteView = std::string_view;  // a parameter, never stored

// Appends the integer's bytes, most significant first, so that key order is numeric order.
inline void append_u32(Bytes& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}
inline void append_u64(Bytes& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

// Reads the integer at the start of `in`, which must hold at least as many bytes.
inline std::uint32_t read_u32(ByteView in) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(in[i]);
  return value;
}
inline std::uint64_t read_u64(ByteView in) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(in[i]);
  return value;
}

// Lower-case hexadecimal.
inline std::string to_hex(ByteView in) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(in.size() * 2);
  for (char c : in) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

// True when `in` is well-formed UTF-8 (Unicode 15, table 3-7: no surrogates, no overlong forms).
bool is_utf8(ByteView in);

}  // namespace base
