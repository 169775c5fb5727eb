// What the replay commands have in common: how a failure is told, and progress.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "eventlog/base/result.hpp"
#include "eventlog/base/strong.hpp"
#include "eventlog/folder/open_log.hpp"
#include "tools/steno/text/exit_codes.hpp"
#include "tools/steno/text/progress_line.hpp"

namespace steno {

// Prints the error's line (error_line.hpp) and returns its exit code.
int fail(std::FILE* err, const base::Error& error);

// Error not_found for a log whose beginning was archived, saying where it is.
base::Result<bool> check_begin(const eventlog::UnprovedLog& log);
base::Result<bool> check_begin(const eventlog::OpenedLog& log);

// One line on `err` where the log's beginning was archived: what is shown is of the rest.
void tell_archived(std::FILE* err, const std::optional<eventlog::LogBase>& base);

// Indented, with a line's end.
template <class Json>
void print_json_text(std::FILE* out, const Json& json) {
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), out);
}

// Who reads the file's other end has gone, as `head` does.
bool is_reader_gone(std::FILE* out);

// A text may quote what a log holds, which is not to reach a terminal as it is.
std::string printable(std::string text);

}  // namespace steno
