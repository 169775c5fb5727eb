// Goes over characters one by one, since invalid bytes must be shown, not dropped.
#include "workers/text/terminal_text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace workers {
namespace {

// Many times what a line of a terminal shows.
constexpr std::size_t kHeadBytes = 4 << 10;

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool is_valid = false;
};

// Returns the character at the start of `text`, which must not be empty.
Character decode(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (bytes <= 0) return {};
  return {static_cast<std::uint32_t>(code), static_cast<std::size_t>(bytes), true};
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

std::size_t columns_of(const Character& character) {
  const int width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(character.code));
  return static_cast<std::size_t>(std::max(width, 0));
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

std::string safe_head(std::string_view text, std::size_t columns_max) {
  if (text.size() <= kHeadBytes) return cut_to_columns(safe_line(text), columns_max);
  return cut_to_columns(safe_line(text.substr(0, kHeadBytes)) + "…", columns_max);
}

}  // namespace workers
