// Walks over code points. A code point that extends the character before it is found in a table of
// ranges, by the blocks of Unicode 15.
#include "eventlog/domain/conversation/shown_text.hpp"

#include <algorithm>
#include <iterator>

#include "eventlog/base/bytes.hpp"
#include "eventlog/domain/characters.hpp"

namespace domain {
namespace {

constexpr char32_t kJoiner = 0x200D;

struct Range {
  char32_t first;
  char32_t last;
};

bool is_before(const Range& range, char32_t c) {
  return range.last < c;
}

// Ascending: marks upon letters, vowel signs, joiners, selectors, and modifiers of emoji.
constexpr Range kExtends[] = {
    {0x300, 0x36F},     {0x483, 0x489},     {0x591, 0x5BD},     {0x5BF, 0x5BF},
    {0x5C1, 0x5C2},     {0x5C4, 0x5C5},     {0x5C7, 0x5C7},     {0x610, 0x61A},
    {0x64B, 0x65F},     {0x670, 0x670},     {0x6D6, 0x6DC},     {0x6DF, 0x6E4},
    {0x6E7, 0x6E8},     {0x6EA, 0x6ED},     {0x711, 0x711},     {0x730, 0x74A},
    {0x7A6, 0x7B0},     {0x7EB, 0x7F3},     {0x900, 0x903},     {0x93A, 0x93C},
    {0x93E, 0x94F},     {0x951, 0x957},     {0x962, 0x963},     {0x981, 0x983},
    {0x9BC, 0x9BC},     {0x9BE, 0x9CD},     {0x9D7, 0x9D7},     {0xA01, 0xA03},
    {0xA3C, 0xA51},     {0xA70, 0xA71},     {0xA81, 0xA83},     {0xABC, 0xABC},
    {0xABE, 0xACD},     {0xB01, 0xB03},     {0xB3C, 0xB3C},     {0xB3E, 0xB57},
    {0xB82, 0xB82},     {0xBBE, 0xBCD},     {0xBD7, 0xBD7},     {0xC00, 0xC04},
    {0xC3C, 0xC3C},     {0xC3E, 0xC56},     {0xC81, 0xC83},     {0xCBC, 0xCBC},
    {0xCBE, 0xCD6},     {0xD00, 0xD03},     {0xD3B, 0xD3C},     {0xD3E, 0xD4D},
    {0xD57, 0xD57},     {0xD81, 0xD83},     {0xDCA, 0xDDF},     {0xE31, 0xE31},
    {0xE33, 0xE3A},     {0xE47, 0xE4E},     {0xEB1, 0xEB1},     {0xEB3, 0xEBC},
    {0xEC8, 0xECE},     {0xF18, 0xF19},     {0xF35, 0xF35},     {0xF37, 0xF37},
    {0xF39, 0xF39},     {0xF3E, 0xF3F},     {0xF71, 0xF84},     {0xF86, 0xF87},
    {0xF8D, 0xFBC},     {0x102D, 0x103E},   {0x1056, 0x1059},   {0x1160, 0x11FF},
    {0x135D, 0x135F},   {0x17B4, 0x17D3},   {0x180B, 0x180D},   {0x1AB0, 0x1ACE},
    {0x1DC0, 0x1DFF},   {0x200C, 0x200D},   {0x20D0, 0x20F0},   {0x302A, 0x302F},
    {0x3099, 0x309A},   {0xA66F, 0xA672},   {0xA674, 0xA67D},   {0xA8E0, 0xA8F1},
    {0xD7B0, 0xD7FB},   {0xFE00, 0xFE0F},   {0xFE20, 0xFE2F},   {0xFF9E, 0xFF9F},
    {0x1D165, 0x1D169}, {0x1F3FB, 0x1F3FF}, {0xE0020, 0xE007F}, {0xE0100, 0xE01EF},
};

bool is_extending(char32_t c) {
  const auto range = std::lower_bound(std::begin(kExtends), std::end(kExtends), c, is_before);
  return range != std::end(kExtends) && c >= range->first;
}

bool is_flag_letter(char32_t c) {
  return c >= 0x1F1E6 && c <= 0x1F1FF;
}

// Takes the next character as a reader sees it. The text must not be empty.
void take_shown(std::string_view& text) {
  char32_t last = take_any_code_point(text);
  bool is_half_flag = is_flag_letter(last);
  while (!text.empty()) {
    std::string_view after = text;
    const char32_t next = take_any_code_point(after);
    const bool is_flag = is_half_flag && is_flag_letter(next);
    const bool is_line_end = last == '\r' && next == '\n';
    const bool extends = is_extending(next) && !is_control(last);
    if (!extends && !is_flag && !is_line_end && last != kJoiner) return;
    is_half_flag = false;
    last = next;
    text = after;
  }
}

}  // namespace

char32_t take_any_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (base::is_utf8(text.substr(0, bytes)) && bytes <= text.size()) return take_code_point(text);
  text.remove_prefix(1);
  return 0xFFFD;
}

bool is_white_space(char32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000 || c == 0xFEFF;
}

std::string_view trimmed(std::string_view text) {
  std::size_t first = std::string_view::npos;
  std::size_t end = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t at = text.size() - rest.size();
    if (is_white_space(take_any_code_point(rest))) continue;
    first = std::min(first, at);
    end = text.size() - rest.size();
  }
  return end == 0 ? std::string_view() : text.substr(first, end - first);
}

std::string one_line(std::string_view text, std::size_t bytes_max) {
  std::string line;
  bool is_after_space = false;
  while (!text.empty() && line.size() <= bytes_max) {
    const std::string_view from = text;
    if (is_white_space(take_any_code_point(text))) {
      is_after_space = true;
      continue;
    }
    if (is_after_space && !line.empty()) line += ' ';
    is_after_space = false;
    line += from.substr(0, from.size() - text.size());
  }
  return line;
}

std::string small_letters(std::string_view text) {
  std::string small;
  while (!text.empty()) {
    const std::string_view from = text;
    const char32_t c = take_any_code_point(text);
    const char32_t letter = small_letter(c);
    if (letter == c) {
      small += from.substr(0, from.size() - text.size());
    } else {
      append_code_point(small, letter);
    }
  }
  return small;
}

std::string_view first_shown(std::string_view text, std::size_t characters, std::size_t bytes_max) {
  std::size_t end = 0;
  for (std::string_view rest = text; !rest.empty() && characters > 0; --characters) {
    take_shown(rest);
    if (text.size() - rest.size() > bytes_max) break;
    end = text.size() - rest.size();
  }
  return text.substr(0, end);
}

}  // namespace domain
