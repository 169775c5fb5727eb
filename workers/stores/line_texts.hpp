// A transcript's line without its texts, and whole again. Texts are recorded apart from the line,
// so that they are searched, shown and erased as all texts are, and so that none is kept twice.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace workers {

// A text of the line.
struct LineText {
  std::string text;
  std::string_view source;  // where it stands in the line, with its quotes; outlives the call
  bool is_quoted = false;   // the source is a JSON string; else the text is the source itself
};

// Returns the line, which is JSON, with a mark in place of each text, as LineImported has it, and
// of each further string that says the same in the same way.
std::string without_texts(std::string_view line, std::span<const LineText> texts);

// Returns the line as it was. In place of a text that is missing, which is a null pointer, stands
// an empty JSON string, or an empty object.
std::string with_texts(std::string_view rest, std::span<const std::string* const> texts);

// Returns the text as a JSON string, with the escapes that JSON.stringify of JavaScript writes.
std::string line_string(std::string_view text);

}  // namespace workers
