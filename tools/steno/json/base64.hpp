// Bytes as text in JSON: RFC 4648, section 4, with padding.
#pragma once

#include <array>
#include <optional>

#include "eventlog/base/bytes.hpp"

namespace steno {

std::string to_base64(base::ByteView bytes);
// Returns nothing if the text is not what to_base64 returns for some bytes.
std::optional<base::Bytes> from_base64(std::string_view text);

// Returns hexadecimal digits, as base::to_hex does.
template <std::size_t Size>
std::string hex(const std::array<char, Size>& bytes) {
  return base::to_hex({bytes.data(), Size});
}
// Returns nothing if the text is not `size` bytes in hexadecimal digits.
std::optional<base::Bytes> from_hex(std::string_view text, std::size_t size);

}  // namespace steno
