// A line at a time; only fenced code goes over several.
#include "workers/text/markdown_text.hpp"

#include <algorithm>

namespace workers {
namespace {

constexpr std::string_view kStrong = "**";

std::string bold(const std::string& text) {
  return "\x1b[1m" + text + "\x1b[22m";
}

std::string code(std::string_view text) {
  return "\x1b[36m" + std::string(text) + "\x1b[39m";
}

// Returns the characters of the span that begins the text and is enclosed in runs of as many
// backticks; 0: it is none.
std::size_t code_span(std::string_view text) {
  const std::size_t ticks = std::min(text.find_first_not_of('`'), text.size());
  for (std::size_t at = ticks; (at = text.find('`', at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of('`', at), text.size());
    if (end - at == ticks) return end;
    at = end;
  }
  return 0;
}

// Likewise of strong words: no blank is inside of their marks.
std::size_t strong_span(std::string_view text) {
  if (text.size() < 5 || text[2] == ' ' || text[2] == '*') return 0;
  const std::size_t end = text.find(kStrong, 3);
  return end == std::string_view::npos || text[end - 1] == ' ' ? 0 : end + kStrong.size();
}

std::string styled_words(std::string_view text) {
  std::string styled;
  while (!text.empty()) {
    const bool is_code = text.front() == '`';
    const bool is_strong = text.starts_with(kStrong);
    const std::size_t span = is_code ? code_span(text) : is_strong ? strong_span(text) : 0;
    if (span > 0) {
      const std::string_view inner = text.substr(0, span);
      styled += is_code ? code(inner) : bold("**" + styled_words(inner.substr(2, span - 4)) + "**");
      text.remove_prefix(span);
      continue;
    }
    // A run of marks that begins nothing is passed over as a whole.
    const std::size_t run = is_code ? text.find_first_not_of('`') : is_strong ? 2 : 0;
    const std::size_t next = text.find_first_of("`*", std::max<std::size_t>(run, 1));
    styled += text.substr(0, next);
    text.remove_prefix(std::min(next, text.size()));
  }
  return styled;
}

bool is_heading(std::string_view line) {
  const std::size_t marks = line.find_first_not_of('#');
  return marks != std::string_view::npos && marks >= 1 && marks <= 6 && line[marks] == ' ';
}

// Returns the marks that begin or end fenced code; empty: the line has none.
std::string_view fence_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const bool is_fence = line.starts_with("```") || line.starts_with("~~~");
  return is_fence ? line.substr(0, 3) : std::string_view{};
}

}  // namespace

std::string styled_markdown(std::string_view text) {
  std::string styled;
  std::string_view fence;  // of the code that the line is in; empty: it is in none
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t feed = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, feed - begin);
    const std::string_view mark = fence_of(line);
    if (!fence.empty() || !mark.empty()) {
      styled += line.empty() ? "" : code(line);
      if (fence.empty()) {
        fence = mark;
      } else if (fence == mark) {
        fence = {};
      }
    } else {
      styled += is_heading(line) ? bold(std::string(line)) : styled_words(line);
    }
    if (feed < text.size()) styled += '\n';
    begin = feed + 1;
  }
  return styled;
}

}  // namespace workers
