// Shared by the replay commands: printing failures and results, and refusing an archived beginning.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "eventlog/base/result.hpp"
#include "eventlog/base/strong_integer.hpp"
#include "eventlog/folder/open_log.hpp"
#include "tools/steno/text/exit_codes.hpp"
#include "tools/steno/text/progress_line.hpp"

namespace steno {

// Prints the error's line (error_line.hpp) and returns its exit code.
int fail(std::FILE* err, const base::Error& error);

// Error not_found for a log whose beginning was archived; the text says where it is.
base::Result<void> check_begin(const eventlog::UnprovedLog& log);
base::Result<void> check_begin(const eventlog::OpenedLog& log);

// Prints one line on `err` if the log's beginning was archived, since only the rest is shown.
void tell_archived(std::FILE* err, const std::optional<eventlog::LogBase>& base);

// Prints the text indented, with a line feed at its end.
template <class Json>
void print_json_text(std::FILE* out, const Json& json) {
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), out);
}

// True if the reader of a pipe has gone, as `head` does.
bool is_reader_gone(std::FILE* out);

// Replaces control characters by '?': a text can quote the log, which must not reach a terminal
// raw.
std::string printable(std::string text);

}  // namespace steno
