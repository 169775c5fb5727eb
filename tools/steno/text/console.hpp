// What a command prints, and where.
#pragma once

#include <string_view>

namespace steno {

// Answers go to stdout as they are: text of agents must have been made safe (terminal_text.hpp)
// where stdout is a terminal.
void print(std::string_view text);
// Remarks go to stderr, a line each, made safe here.
void remark(std::string_view line);
// Why the command fails, on stderr (error_line.hpp).
void complain(int exit_code, std::string_view text);

bool is_stdout_terminal();
bool is_stdin_terminal();
// Colours and the like may be printed: stdout is a terminal, and NO_COLOR is not set.
bool has_color();
// Hands what was printed to the operating system. False: it could not be written.
bool flush();

}  // namespace steno
