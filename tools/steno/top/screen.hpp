// The content of a terminal: lines of styled text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace steno {

// How a text stands out. Without colours `good` is plain, and `warned` and `bad` are strong.
enum class Style { plain, strong, dim, chosen, good, warned, bad };

// A piece of a line, safe for a terminal.
struct Span {
  std::string text;
  Style style = Style::plain;

  bool operator==(const Span&) const = default;
};
using ScreenLine = std::vector<Span>;

struct ScreenSize {
  std::size_t rows = 24;
  std::size_t columns = 80;

  bool operator==(const ScreenSize&) const = default;
};

struct Screen {
  std::vector<ScreenLine> lines;      // none wider than the terminal, and no more than it has
  std::optional<std::size_t> cursor;  // its column in the last line; none: it is hidden
};

std::size_t columns_of(const ScreenLine& line);
// Returns the start of the line, with "…" last if anything was cut off.
ScreenLine cut_line(const ScreenLine& line, std::size_t columns_max);
// Returns the line with blanks behind it, so that it is as wide as that.
ScreenLine padded(ScreenLine line, std::size_t columns);

// Returns a safe text's lines, each in as many pieces as it takes. A piece ends behind a word if
// one ends in its second half. A character that is wider than `columns` is left out.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns);

}  // namespace steno
