// Shows what of Markdown a terminal can show: headings and strong words are bold, code has a
// colour.
#pragma once

#include <string>
#include <string_view>

namespace workers {

// `text` is safe for a terminal (terminal_text.hpp). No character of it is left out or changed, so
// what is copied from the terminal is what was said.
std::string styled_markdown(std::string_view text);

}  // namespace workers
