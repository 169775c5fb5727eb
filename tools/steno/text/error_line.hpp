// The line on stderr that says why a command fails: a text for people, or JSON for programs that
// asked for it.
#pragma once

#include <string>
#include <string_view>

namespace steno {

// Turns error lines into JSON for the whole process. Call it before anything fails, on the thread
// that fails.
void make_errors_json();

// Returns "steno: there is no session 'x'", or {"error":{"code":"not_found","exit":3,"text":"there
// is no session 'x'"}}; without a line feed. `program` comes first in the text.
std::string error_line(std::string_view program, int exit_code, std::string_view text);

}  // namespace steno
