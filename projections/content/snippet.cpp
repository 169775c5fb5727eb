// Offsets are found first, then cut with the text.
#include "projections/content/snippet.hpp"

#include <algorithm>

#include "projections/content/said_text.hpp"

namespace projections {
namespace {

constexpr std::string_view kCut = "…";
// So much of a text that is cut stands before the first match.
constexpr std::size_t kBeforeBytes = kSnippetBytesMax / 4;

bool is_inside_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

Snippet unmarked(std::string_view marked) {
  Snippet snippet;
  bool is_open = false;
  for (const char c : marked) {
    const bool is_mark = is_open ? c == kMarkEnd : c == kMarkBegin;
    if (is_mark) {
      snippet.marks.push_back(static_cast<std::int64_t>(snippet.text.size()));
      is_open = !is_open;
    } else if (c != kMarkBegin && c != kMarkEnd) {
      snippet.text += c;
    }
  }
  if (is_open) snippet.marks.push_back(static_cast<std::int64_t>(snippet.text.size()));
  return snippet;
}

}  // namespace

Snippet make_snippet(std::string_view marked) {
  Snippet whole = unmarked(marked);
  const std::string& text = whole.text;
  if (text.size() <= kSnippetBytesMax) return whole;
  const std::size_t match = whole.marks.empty() ? 0 : static_cast<std::size_t>(whole.marks[0]);
  std::size_t begin = match > kBeforeBytes ? match - kBeforeBytes : 0;
  while (begin < match && is_inside_character(text[begin])) ++begin;
  std::size_t end = std::min(begin + kSnippetBytesMax, text.size());
  while (end < text.size() && end > begin && is_inside_character(text[end])) --end;

  Snippet snippet;
  if (begin > 0) snippet.text += kCut;
  const auto moved_by =
      static_cast<std::int64_t>(snippet.text.size()) - static_cast<std::int64_t>(begin);
  snippet.text.append(text, begin, end - begin);
  if (end < text.size()) snippet.text += kCut;
  for (std::size_t i = 0; i + 1 < whole.marks.size(); i += 2) {
    if (whole.marks[i] >= static_cast<std::int64_t>(end)) break;
    snippet.marks.push_back(whole.marks[i] + moved_by);
    snippet.marks.push_back(std::min(whole.marks[i + 1], static_cast<std::int64_t>(end)) +
                            moved_by);
  }
  return snippet;
}

}  // namespace projections
