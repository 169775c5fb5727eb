// Decodes by a table of 256 values, and accepts only the canonical text of the bytes.
#include "tools/steno/json/base64.hpp"

#include <array>
#include <charconv>

namespace steno {
namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kNoDigit = 64;

constexpr std::array<std::uint32_t, 256> make_values() {
  std::array<std::uint32_t, 256> values{};
  values.fill(kNoDigit);
  for (std::uint32_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kDigits[i])] = i;
  return values;
}

}  // namespace

std::string to_base64(base::ByteView in) {
  std::string out;
  out.reserve((in.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < in.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < in.size() ? static_cast<unsigned char>(in[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k <= in.size() ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

std::optional<base::Bytes> from_base64(std::string_view text) {
  static constexpr auto kValues = make_values();
  if (text.size() % 4 != 0) return std::nullopt;
  base::Bytes bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool is_last = i + 4 == text.size();
    const std::size_t padding = is_last ? (text[i + 3] == '=') + (text[i + 2] == '=') : 0U;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint32_t value =
          k < 4 - padding ? kValues[static_cast<unsigned char>(text[i + k])] : 0U;
      if (value == kNoDigit) return std::nullopt;
      group = group << 6 | value;
    }
    for (std::size_t k = 0; k < 3 - padding; ++k) {
      bytes.push_back(static_cast<char>(group >> (16 - 8 * k)));
    }
  }
  // Unused bits must be zero, so that no two texts decode to the same bytes.
  if (to_base64(bytes) != text) return std::nullopt;
  return bytes;
}

std::optional<base::Bytes> from_hex(std::string_view text, std::size_t size) {
  if (text.size() != 2 * size) return std::nullopt;
  base::Bytes bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const char* end = text.data() + i + 2;
    const auto parsed = std::from_chars(text.data() + i, end, value, 16);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

}  // namespace steno
