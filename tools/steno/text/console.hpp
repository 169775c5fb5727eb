// Prints the output of commands: answers to stdout, remarks and failures to stderr.
#pragma once

#include <string>
#include <string_view>

namespace steno {

// Prints an answer to stdout as it is. If that is a terminal, text of agents must have been made
// safe (terminal_text.hpp). It can wait for flush() or remark().
void print(std::string_view text);
// Prints a remark to stderr, one line, and makes it safe.
void remark(std::string_view line);
// Prints to stderr why the command fails (error_line.hpp).
void complain(int exit_code, std::string_view text);
// Prints "> " to stderr: a person can type.
void prompt_sign();

bool is_stdout_terminal();
// Returns how many columns stdout has as a terminal; 0: it is none.
std::size_t stdout_columns();
// Likewise how many rows.
std::size_t stdout_rows();
bool is_stdin_terminal();
// True if stdout is a terminal whose cursor can be moved: TERM is set, and is not "dumb".
bool can_draw();
// True if colours can be printed: stdout is a terminal that is not "dumb", and NO_COLOR is not set.
bool has_color();
// Hands the printed text to the operating system, and waits for a slow reader. False: some of it
// could not be written, now or earlier.
bool flush();
// Returns why, such as "No space left on device"; empty: all was written, or nobody reads it.
std::string output_fault();

}  // namespace steno
