// Ranges of code points, by the blocks of Unicode 15.
#include "eventlog/domain/characters.hpp"

#include <algorithm>
#include <iterator>

#include "eventlog/base/bytes.hpp"

namespace domain {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

bool is_before(const Range& range, char32_t c) {
  return range.last < c;
}

// Beyond ASCII, ascending: punctuation, symbols, emoji, and code points for private use.
constexpr Range kNoWord[] = {
    {0x80, 0xA9},       {0xAB, 0xB4},       {0xB6, 0xB9},       {0xBB, 0xBF},
    {0xD7, 0xD7},       {0xF7, 0xF7},       {0x2C2, 0x2C5},     {0x2D2, 0x2DF},
    {0x37E, 0x37E},     {0x387, 0x387},     {0x55A, 0x55F},     {0x589, 0x58F},
    {0x5BE, 0x5BE},     {0x5C0, 0x5C0},     {0x5C3, 0x5C3},     {0x5C6, 0x5C6},
    {0x5F3, 0x5F4},     {0x600, 0x60F},     {0x61B, 0x61F},     {0x66A, 0x66D},
    {0x6D4, 0x6D4},     {0x700, 0x70D},     {0x964, 0x965},     {0x970, 0x970},
    {0xE3F, 0xE3F},     {0xE4F, 0xE4F},     {0xE5A, 0xE5B},     {0xF04, 0xF14},
    {0x104A, 0x104F},   {0x10FB, 0x10FB},   {0x1360, 0x1368},   {0x1400, 0x1400},
    {0x166D, 0x166E},   {0x1680, 0x1680},   {0x16EB, 0x16ED},   {0x17D4, 0x17D6},
    {0x17D8, 0x17DB},   {0x1800, 0x180E},   {0x2000, 0x2BFF},   {0x2CF9, 0x2CFF},
    {0x2E00, 0x2E7F},   {0x2FF0, 0x3004},   {0x3008, 0x3020},   {0x3030, 0x3030},
    {0x303D, 0x3040},   {0x30A0, 0x30A0},   {0x30FB, 0x30FB},   {0x3200, 0x33FF},
    {0x4DC0, 0x4DFF},   {0xA4FE, 0xA4FF},   {0xA60D, 0xA60F},   {0xA6F2, 0xA6F7},
    {0xA830, 0xA839},   {0xA874, 0xA877},   {0xD800, 0xF8FF},   {0xFB29, 0xFB29},
    {0xFD3E, 0xFD4F},   {0xFDFC, 0xFE1F},   {0xFE30, 0xFE6F},   {0xFEFF, 0xFF0F},
    {0xFF1A, 0xFF20},   {0xFF3B, 0xFF40},   {0xFF5B, 0xFF65},   {0xFFE0, 0xFFFF},
    {0x10100, 0x1018F}, {0x1D000, 0x1D3FF}, {0x1F000, 0x1FBFF}, {0xE0000, 0x10FFFF},
};

}  // namespace

char32_t take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t point = bytes == 1 ? first : first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  text.remove_prefix(bytes);
  return point;
}

void append_code_point(std::string& text, char32_t c) {
  const int following = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr unsigned kFirst[] = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kFirst[following] | c >> (6 * following));
  for (int left = following; left-- > 0;) {
    text += static_cast<char>(0x80 | (c >> (6 * left) & 0x3F));
  }
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

bool is_blank(char32_t c) {
  return c == ' ' || c == 0xA0 || c == 0xAD || c == 0x1680 || (c >= 0x2000 && c <= 0x200F) ||
         c == 0x202F || (c >= 0x205F && c <= 0x2065) || c == 0x3000 || c == 0xFEFF;
}

bool is_word_char(char32_t c) {
  if (c < 0x80) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
  const auto range = std::lower_bound(std::begin(kNoWord), std::end(kNoWord), c, is_before);
  return range == std::end(kNoWord) || c < range->first;
}

char32_t small_letter(char32_t c) {
  const bool is_latin = (c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7);
  const bool is_greek = c >= 0x391 && c <= 0x3A9;
  const bool is_cyrillic = c >= 0x410 && c <= 0x42F;
  if (is_latin || is_greek || is_cyrillic) return c + 0x20;
  if (c >= 0x400 && c <= 0x40F) return c + 0x50;
  // Capitals stand before their small letters.
  const bool is_even_pair = (c >= 0x100 && c <= 0x12F) || (c >= 0x132 && c <= 0x137) ||
                            (c >= 0x14A && c <= 0x177) || (c >= 0x460 && c <= 0x481) ||
                            (c >= 0x48A && c <= 0x4BF) || (c >= 0x1E00 && c <= 0x1E95) ||
                            (c >= 0x1EA0 && c <= 0x1EFF);
  const bool is_odd_pair = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E);
  if (is_even_pair) return c | 1;
  return is_odd_pair && c % 2 == 1 ? c + 1 : c;
}

std::optional<std::string> prompt_fault(std::string_view prompt) {
  constexpr const char* kBinary =
      "the prompt is not text; write what the agent is to do, and name the file that it is to read";
  if (prompt.find('\0') != std::string_view::npos || !base::is_utf8(prompt)) return kBinary;
  for (std::string_view rest = prompt; !rest.empty();) {
    const char32_t c = take_code_point(rest);
    if (!is_control(c) && !is_blank(c)) return std::nullopt;
  }
  return "the prompt is empty; say what the agent is to do";
}

}  // namespace domain
