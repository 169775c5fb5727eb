// Uses stdio throughout, so that answers and remarks keep their order on one terminal.
#include "tools/steno/text/console.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tools/steno/text/error_line.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {

using workers::safe_line;

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void remark(std::string_view line) {
  // Keeps remarks in order with the answers if both go to one terminal.
  std::fflush(stdout);
  const std::string text = safe_line(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void complain(int exit_code, std::string_view text) {
  remark(error_line("steno", exit_code, text));
}

bool is_stdout_terminal() {
  static const bool kIsTerminal = ::isatty(STDOUT_FILENO) == 1;
  return kIsTerminal;
}

bool has_color() {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return is_stdout_terminal() && (none == nullptr || *none == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

bool is_stdin_terminal() {
  return ::isatty(STDIN_FILENO) == 1;
}

bool flush() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace steno
