// What an agent's call of a tool is about, in a few words.
#pragma once

#include <string>
#include <string_view>

namespace steno {

// R078, the compact indicator of a tool call: "🔧 Bash — cargo test", with the input's command cut
// at 80 characters, else its path, pattern or the like cut at 60; "🔧 Name" where there is none.
// `input` is the tool's input, JSON. The line is safe for a terminal.
std::string tool_line(std::string_view tool, std::string_view input);
// The same without the tool's sign in front.
std::string tool_summary(std::string_view tool, std::string_view input);

}  // namespace steno
