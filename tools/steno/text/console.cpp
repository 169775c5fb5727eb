// Keeps what is printed until it is flushed, so that answers and remarks keep their order on one
// terminal. Writes by itself: stdio drops what a pipe has no room for.
#include "tools/steno/text/console.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tools/steno/text/error_line.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {

using workers::safe_line;

namespace {

constexpr std::size_t kKeptBytesMax = std::size_t{64} << 10;  // more is written at once

std::string kept;      // printed, and not written yet
int stdout_fault = 0;  // errno of the first write that failed; what is printed later is dropped

// Waits for room where the reader of a pipe is slow. Returns errno; 0: all is written.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd room{fd, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Zeros: it is no terminal.
winsize stdout_size() {
  winsize size{};
  const bool is_known = is_stdout_terminal() && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return is_known ? size : winsize{};
}

// Returns what was wrong with a write of stdio's that failed earlier.
int fault_of_stdio() {
  pollfd reader{STDOUT_FILENO, 0, 0};
  const bool is_gone = ::poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0;
  return is_gone ? EPIPE : EIO;
}

}  // namespace

void print(std::string_view text) {
  if (stdout_fault != 0) return;
  kept += text;
  if (kept.size() >= kKeptBytesMax) flush();
}

void remark(std::string_view line) {
  // Keeps remarks in order with the answers if both go to one terminal.
  flush();
  write_all(STDERR_FILENO, safe_line(line) + "\n");
}

void prompt_sign() {
  flush();
  write_all(STDERR_FILENO, "> ");
}

void complain(int exit_code, std::string_view text) {
  remark(error_line("steno", exit_code, text));
}

bool is_stdout_terminal() {
  static const bool kIsTerminal = ::isatty(STDOUT_FILENO) == 1;
  return kIsTerminal;
}

std::size_t stdout_columns() {
  return stdout_size().ws_col;
}

std::size_t stdout_rows() {
  return stdout_size().ws_row;
}

bool can_draw() {
  const char* terminal = std::getenv("TERM");
  return is_stdout_terminal() && terminal != nullptr && std::string_view(terminal) != "dumb";
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
  if (stdout_fault == 0) stdout_fault = write_all(STDOUT_FILENO, kept);
  kept.clear();
  // What does not print here uses stdio.
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (!is_written && stdout_fault == 0) stdout_fault = errno != 0 ? errno : fault_of_stdio();
  return stdout_fault == 0;
}

std::string output_fault() {
  return stdout_fault == 0 || stdout_fault == EPIPE ? "" : std::strerror(stdout_fault);
}

}  // namespace steno
