// Byte strings, and the big-endian integers that keys and headers are made of.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace base {

using Bytes = std::string;          // owns
using ByteView = std::string_view;  // a parameter, never stored

static_assert(std::endian::native == std::endian::little);

// Appends the integer's bytes, most significant first, so that key order is numeric order.
inline void append_u32(Bytes& out, std::uint32_t value) {
  value = __builtin_bswap32(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void append_u64(Bytes& out, std::uint64_t value) {
  value = __builtin_bswap64(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Reads the integer at the start of `in`, which must hold at least as many bytes.
inline std::uint32_t read_u32(ByteView in) {
  std::uint32_t value = 0;
  std::memcpy(&value, in.data(), sizeof value);
  return __builtin_bswap32(value);
}
inline std::uint64_t read_u64(ByteView in) {
  std::uint64_t value = 0;
  std::memcpy(&value, in.data(), sizeof value);
  return __builtin_bswap64(value);
}

// True when `in` is well-formed UTF-8 (Unicode 15, table 3-7: no surrogates, no overlong forms).
bool is_utf8(ByteView in);

}  // namespace base
