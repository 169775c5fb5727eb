// The line on stderr that says why a command fails: for people, or for programs that asked for
// JSON.
#pragma once

#include <string>
#include <string_view>

namespace steno {

// From here on, in the whole process. Called before anything fails, by the thread that fails.
void make_errors_json();

// "steno: there is no session 'x'", or
// {"error":{"code":"not_found","exit":3,"text":"there is no session 'x'"}}; without a line's end.
// `program`: who says so.
std::string error_line(std::string_view program, int exit_code, std::string_view text);

}  // namespace steno
