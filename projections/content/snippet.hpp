// The part of a found text that is shown, and where the matches are in it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace projections {

struct Snippet {
  std::string text;
  // Begin and end of each match in bytes, ascending; never inside a character of UTF-8.
  std::vector<std::int64_t> marks;

  bool operator==(const Snippet&) const = default;
};

constexpr std::size_t kSnippetBytesMax = 480;

// Takes the marks out of a text in which kMarkBegin and kMarkEnd stand around each match. A longer
// text is cut to about kSnippetBytesMax bytes around the first match, with "…" where it was cut.
Snippet make_snippet(std::string_view marked);

}  // namespace projections
