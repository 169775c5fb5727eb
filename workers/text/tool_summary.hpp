// Describes an agent's tool call in a few words.
#pragma once

#include <string>
#include <string_view>

namespace workers {

// Returns a compact line for a tool call: "🔧 Bash — cargo test". It quotes the input's command cut
// at 80 columns, else its path, pattern or the like cut at 60; "🔧 Name" if there is none. `input`
// is the tool's input as JSON. The line is safe for a terminal.
std::string tool_line(std::string_view tool, std::string_view input);
// Returns the same without the sign in front.
std::string tool_summary(std::string_view tool, std::string_view input);

}  // namespace workers
