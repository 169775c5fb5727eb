// Decodes UTF-8 itself, since invalid bytes must be shown, not dropped.
#include "tools/steno/text/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace steno {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool is_valid = false;
};

// Returns the character at the start of `text`, which must not be empty (Unicode 15, table 3-7).
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[length] || code > 0x10FFFF || is_surrogate) return {};
  return {code, length, true};
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F);
}

// These make text read otherwise than it is stored.
bool is_direction_override(std::uint32_t code) {
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         code == 0x200E || code == 0x200F || code == 0x061C;
}

std::string escaped(std::uint32_t code) {
  if (code == '\r') return "\\r";
  char text[16];
  std::snprintf(text, sizeof text, code < 0x80 ? "\\x%02x" : "\\u%04x", code);
  return text;
}

std::string make_safe(std::string_view text, bool keeps_lines) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const Character character = decode(text);
    const bool is_blank = character.code == '\n' || character.code == '\t';
    if (!character.is_valid) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(text.front()));
      safe += hex;
    } else if (is_blank) {
      safe += keeps_lines ? text.front() : ' ';
    } else if (is_control(character.code) || is_direction_override(character.code)) {
      safe += escaped(character.code);
    } else {
      safe.append(text.substr(0, character.bytes));
    }
    text.remove_prefix(character.bytes);
  }
  return safe;
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// The blocks that matter in practice, not all of Unicode's tables: a wrong width only shifts a
// table's cell.
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                           {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                           {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                           {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}};

template <std::size_t N>
bool is_in(const Range (&ranges)[N], std::uint32_t code) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

std::size_t columns_of(const Character& character) {
  if (is_in(kZeroWidth, character.code)) return 0;
  return is_in(kWide, character.code) ? 2 : 1;
}

}  // namespace

std::string safe_text(std::string_view text) {
  return make_safe(text, true);
}

std::string safe_line(std::string_view text) {
  return make_safe(text, false);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::size_t columns_of(std::string_view line) {
  std::size_t columns = 0;
  while (!line.empty()) {
    const Character character = decode(line);
    columns += columns_of(character);
    line.remove_prefix(character.bytes);
  }
  return columns;
}

std::string cut_to_columns(std::string_view line, std::size_t columns_max) {
  if (columns_of(line) <= columns_max) return std::string(line);
  std::size_t columns = 0;
  std::size_t end = 0;
  while (end < line.size()) {
    const Character character = decode(line.substr(end));
    if (columns + columns_of(character) + 1 > columns_max) break;
    columns += columns_of(character);
    end += character.bytes;
  }
  return std::string(line.substr(0, end)) + (columns_max == 0 ? "" : "…");
}

}  // namespace steno
