// Claude Code reads a file that a prompt names as "@/any/file", wherever it is and without a
// permission.
#pragma once

#include <string_view>

namespace workers {

// Returns the first word of a prompt, such as "@/etc/passwd", for which the agent would read a file
// that may be outside of its folder; empty: there is none. An "@name" without a slash is none: it
// means a file of the agent's own folder, which the agent may read, or a person.
std::string_view file_mention(std::string_view prompt);

}  // namespace workers
