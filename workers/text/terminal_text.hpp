// Makes text of agents and users safe for a terminal. Escape sequences in it could recolour,
// overwrite or reprogram a reader's terminal; none gets through.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace workers {

// Keeps line feeds and tabs. All other control characters (C0, DEL, C1), direction controls and
// bytes that are not UTF-8 become \r, \x1b, \u202e, \xff.
std::string safe_text(std::string_view text);
// The same on one line: line feeds and tabs become blanks.
std::string safe_line(std::string_view text);

// Returns the text's lines without their line feeds. An empty text has none, and a last line feed
// begins none.
std::vector<std::string_view> lines_of(std::string_view text);

// Returns the columns that a safe line takes on a terminal: 2 for wide characters, 0 for combining
// ones.
std::size_t columns_of(std::string_view line);
// Returns the safe line's start, with "…" in the last column if anything was cut off.
std::string cut_to_columns(std::string_view line, std::size_t columns_max);
// Returns the same of a text that is not safe yet. Looks at its first 4 KiB only.
std::string safe_head(std::string_view text, std::size_t columns_max);

}  // namespace workers
