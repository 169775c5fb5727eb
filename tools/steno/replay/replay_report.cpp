// Prints to the streams of the arguments, not to stdout and stderr, so that tests can read them.
#include "tools/steno/replay/replay_report.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "tools/steno/text/error_line.hpp"

namespace steno {

int fail(std::FILE* err, const base::Error& error) {
  const int code = exit_code_of(error.code);
  fmt::print(err, "{}\n", error_line("steno", code, base::describe(error)));
  return code;
}

namespace {

base::Result<void> check_base(const std::optional<eventlog::LogBase>& base) {
  if (!base) return {};
  return base::failure(base::ErrorCode::not_found,
                       "the log begins behind position " +
                           std::to_string(base->anchor.at.position.value) + ": " +
                           eventlog::where_archived(*base) + "; give it with --archive");
}

}  // namespace

base::Result<void> check_begin(const eventlog::UnprovedLog& log) {
  if (log.base_error) return tl::unexpected(*log.base_error);
  return check_base(log.base);
}

base::Result<void> check_begin(const eventlog::OpenedLog& log) {
  return check_base(log.base);
}

void tell_archived(std::FILE* err, const std::optional<eventlog::LogBase>& base) {
  if (!base) return;
  fmt::print(err, "steno: without sessions that ended earlier: {}; --archive adds them\n",
             printable(eventlog::where_archived(*base)));
}

bool is_reader_gone(std::FILE* out) {
  pollfd end{::fileno(out), 0, 0};
  return ::poll(&end, 1, 0) == 1 && (end.revents & POLLERR) != 0;
}

std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = '?';
  }
  return text;
}

}  // namespace steno
