// What the replay commands have in common: how a failure is told, and progress.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "eventlog/base/result.hpp"
#include "eventlog/base/strong.hpp"
#include "eventlog/folder/open_log.hpp"
#include "tools/steno/text/exit_codes.hpp"

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

// One line on a terminal, written over and over; nothing where `err` is none.
class ProgressLine {
 public:
  // `label` must outlive it.
  ProgressLine(std::FILE* err, std::string_view label);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(base::Position reached, base::Position end);
  // While it is not known how many there are.
  void show_count(base::Position reached);
  // Of work that is not counted in events.
  void show_share(std::int64_t per_mille);
  void clear();

 private:
  std::FILE* const err_;
  const std::string_view label_;
  const bool is_terminal_;
  bool is_shown_ = false;
  std::int64_t shown_percent_ = -1;
  std::int64_t shown_count_ = 0;
};

}  // namespace steno
