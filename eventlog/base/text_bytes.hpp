// Bytes as text that JSON and people's tools can hold: hexadecimal and base64, by libsodium.
#pragma once

#include <array>
#include <optional>

#include "eventlog/base/bytes.hpp"

namespace base {

// RFC 4648, section 4, with padding.
std::string to_base64(ByteView bytes);
// No value: it is not what to_base64 makes of any bytes.
std::optional<Bytes> from_base64(std::string_view text);

// Lower-case hexadecimal digits.
std::string to_hex(ByteView bytes);
template <std::size_t Size>
std::string to_hex(const std::array<char, Size>& bytes) {
  return to_hex(ByteView{bytes.data(), Size});
}
// Takes digits of either case. No value: it is not `size` bytes in hexadecimal digits.
std::optional<Bytes> from_hex(std::string_view text, std::size_t size);

}  // namespace base
