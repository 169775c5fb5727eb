// Measures columns as the tables do (terminal_text.hpp).
#include "tools/steno/top/screen.hpp"

#include <string_view>

#include "workers/text/characters.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {

std::size_t columns_of(const ScreenLine& line) {
  std::size_t columns = 0;
  for (const Span& span : line) columns += workers::columns_of(span.text);
  return columns;
}

ScreenLine cut_line(const ScreenLine& line, std::size_t columns_max) {
  if (columns_of(line) <= columns_max) return line;
  ScreenLine cut;
  std::size_t left = columns_max;
  for (const Span& span : line) {
    const std::size_t columns = workers::columns_of(span.text);
    if (columns < left) {
      cut.push_back(span);
      left -= columns;
      continue;
    }
    // The ellipsis stands here also if only what follows does not fit.
    cut.push_back({workers::cut_to_columns(span.text + "…", left), span.style});
    break;
  }
  return cut;
}

ScreenLine padded(ScreenLine line, std::size_t columns) {
  const std::size_t wide = columns_of(line);
  if (wide >= columns || line.empty()) return line;
  line.push_back({std::string(columns - wide, ' '), line.back().style});
  return line;
}

namespace {

// Returns how many bytes of the line fit the columns, whole characters alone.
std::size_t fitting(std::string_view line, std::size_t columns) {
  std::size_t end = 0;
  std::size_t wide = 0;
  while (end < line.size()) {
    const std::size_t bytes = workers::bytes_of(line.substr(end), 1);
    wide += workers::columns_of(line.substr(end, bytes));
    if (wide > columns) break;
    end += bytes;
  }
  return end;
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> pieces;
  for (const std::string_view line : workers::lines_of(text)) {
    const std::string safe = workers::safe_line(line);  // tabs have no width of their own
    std::string_view rest = safe;
    while (true) {
      std::size_t end = fitting(rest, columns);
      if (end == rest.size()) break;
      if (end == 0) {
        rest.remove_prefix(workers::bytes_of(rest, 1));
        continue;
      }
      const std::size_t blank = rest.rfind(' ', end);
      if (blank != std::string_view::npos && blank > end / 2) end = blank;
      pieces.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end + (end < rest.size() && rest[end] == ' ' ? 1 : 0));
    }
    pieces.emplace_back(rest);
  }
  return pieces;
}

}  // namespace steno
