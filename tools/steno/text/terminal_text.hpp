// Text of agents and users made safe for a terminal. What an agent says may hold escape sequences
// that would recolour, overwrite or reprogram the terminal of whoever reads it; none gets through.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steno {

// Keeps line feeds and tabs. All other control characters (C0, DEL, C1), direction overrides and
// bytes that are not UTF-8 are shown as \r, \x1b, \u202e, \xff.
std::string safe_text(std::string_view text);
// The same on one line: a line feed is shown as a blank where it separates words, a tab too.
std::string safe_line(std::string_view text);

// The text's lines without their line feeds; none of an empty text, and none behind the last one.
std::vector<std::string_view> lines_of(std::string_view text);

// Columns that a safe line takes on a terminal: 2 for wide characters, 0 for combining ones.
std::size_t columns_of(std::string_view line);
// The safe line's start, with "…" in the last column where something was cut off.
std::string cut_to_columns(std::string_view line, std::size_t columns_max);

}  // namespace steno
