// Formats, parses and makes UUIDs. Parsing looks all digits up in a table and checks them once, at
// the end, without a branch for each.
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

// The places in a dashed text where the two digits of each byte begin.
constexpr std::array<std::size_t, sizeof(IdBytes)> kDashedPlaces = {0,  2,  4,  6,  9,  11, 14, 16,
                                                                    19, 21, 24, 26, 28, 30, 32, 34};

}  // namespace

std::string id_text(const IdBytes& bytes) {
  std::string text(36, '-');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text[kDashedPlaces[i]] = kHexDigits[byte >> 4];
    text[kDashedPlaces[i] + 1] = kHexDigits[byte & 0x0F];
  }
  return text;
}

std::optional<IdBytes> parse_id(std::string_view text) {
  const bool is_dashed = text.size() == 36;
  if (!is_dashed && text.size() != 32) return std::nullopt;
  if (is_dashed && (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-')) {
    return std::nullopt;
  }
  IdBytes bytes{};
  int all = 0;  // negative once a character was no digit
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t place = is_dashed ? kDashedPlaces[i] : 2 * i;
    const int high = hex_value(text[place]);
    const int low = hex_value(text[place + 1]);
    all |= high | low;
    bytes[i] = static_cast<char>(high * 16 + low);
  }
  if (all < 0) return std::nullopt;
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
