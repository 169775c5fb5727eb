#include "eventlog/base/ids.hpp"

#include "eventlog/base/bytes.hpp"

namespace base {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

constexpr std::array<signed char, 256> kHexValues = [] {
  std::array<signed char, 256> values{};
  values.fill(-1);
  for (signed char i = 0; i < 10; ++i) values['0' + static_cast<std::size_t>(i)] = i;
  for (signed char i = 10; i < 16; ++i) {
    values['a' - 10 + static_cast<std::size_t>(i)] = i;
    values['A' - 10 + static_cast<std::size_t>(i)] = i;
  }
  return values;
}();

int hex_value(char c) {
  return kHexValues[static_cast<unsigned char>(c)];
}

bool is_dash_place(std::size_t index) {
  return index == 8 || index == 13 || index == 18 || index == 23;
}

}  // namespace

std::string id_text(const IdBytes& bytes) {
  std::string text(36, '-');
  std::size_t place = 0;
  for (const char c : bytes) {
    if (is_dash_place(place)) ++place;
    text[place++] = kHexDigits[static_cast<unsigned char>(c) >> 4];
    text[place++] = kHexDigits[static_cast<unsigned char>(c) & 0x0F];
  }
  return text;
}

std::optional<IdBytes> parse_id(std::string_view text) {
  const bool dashed = text.size() == 36;
  if (!dashed && text.size() != 32) return std::nullopt;
  IdBytes bytes{};
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (dashed && is_dash_place(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int value = hex_value(text[i]);
    if (value < 0) return std::nullopt;
    char& byte = bytes[digits / 2];
    byte = static_cast<char>(digits % 2 == 0 ? value << 4 : (byte | value));
    ++digits;
  }
  return bytes;
}

IdBytes make_id_bytes(Time now, Random& random) {
  const auto ms = static_cast<std::uint64_t>(now.us / 1000) & 0xFFFFFFFFFFFFu;
  const std::uint64_t high = ms << 16 | 0x7000u | (random.next() & 0x0FFFu);
  const std::uint64_t low = 0x8000000000000000u | (random.next() & 0x3FFFFFFFFFFFFFFFu);
  IdBytes bytes{};
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<char>(low >> (56 - 8 * i));
  }
  return bytes;
}

}  // namespace base
