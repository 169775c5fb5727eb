// libedit reads keys without waiting for a whole line (EL_UNBUFFERED). Switching that off gives the
// terminal back, switching it on draws an empty line, into which what was typed is put again.
#include "tools/steno/client/line_editor.hpp"

#include <histedit.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "tools/steno/text/console.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

constexpr int kHistoryLines = 500;
// Ctrl-D on an empty line, which libedit hands on as a line of its own.
constexpr std::string_view kEndKey = "\x04";

std::size_t terminal_columns() {
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

}  // namespace

struct LineEditor::Library {
  Library() : edit(::el_init("steno", stdin, stdout, stderr)), past(::history_init()) {
    HistEvent event{};
    ::history(past, &event, H_SETSIZE, kHistoryLines);
    ::history(past, &event, H_SETUNIQUE, 1);
    ::el_set(edit, EL_EDITOR, "emacs");
    ::el_set(edit, EL_SIGNAL, 0);
    // Keys that come while the line is hidden wait as they are.
    ::el_set(edit, EL_SETTY, "-x", "-icanon", "-echo", nullptr);
    ::el_set(edit, EL_HIST, &::history, past);
  }
  ~Library() {
    ::el_end(edit);
    ::history_end(past);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  EditLine* const edit;
  History* const past;
};

LineEditor::LineEditor() : LineInput(STDIN_FILENO), library_(std::make_unique<Library>()) {
  ::el_set(library_->edit, EL_CLIENTDATA, this);
  ::el_set(
      library_->edit, EL_PROMPT, +[](EditLine* edit) {
        LineEditor* self = nullptr;
        ::el_get(edit, EL_CLIENTDATA, &self);
        return self->sign_.data();
      });
}

LineEditor::~LineEditor() {
  hide();
}

void LineEditor::show(const std::string& sign, std::size_t columns) {
  if (is_shown_ && sign == sign_) return;
  hide();
  columns_ = columns;
  if (columns_ > 0) print("\n");
  flush();
  sign_ = sign;
  ::el_set(library_->edit, EL_UNBUFFERED, 1);
  if (!line_.empty()) {
    ::el_insertstr(library_->edit, line_.c_str());
    const auto behind = static_cast<int>(line_.size() - cursor_);
    if (behind > 0) ::el_cursor(library_->edit, -behind);
  }
  print("\r");
  flush();
  ::el_set(library_->edit, EL_REFRESH);
  is_shown_ = true;
}

void LineEditor::keep_line() {
  const LineInfo* info = ::el_line(library_->edit);
  line_.assign(info->buffer, info->lastchar);
  cursor_ = static_cast<std::size_t>(info->cursor - info->buffer);
}

void LineEditor::hide() {
  if (!std::exchange(is_shown_, false)) return;
  keep_line();
  const std::size_t before =
      workers::columns_of(workers::safe_line(sign_ + line_.substr(0, cursor_)));
  std::string erase = "\r";
  if (const std::size_t rows = before / terminal_columns(); rows > 0) {
    erase += "\x1b[" + std::to_string(rows) + "A";
  }
  erase += "\x1b[J";
  // A line as wide as the terminal goes on below itself.
  if (const std::size_t column = columns_ % terminal_columns(); column > 0) {
    erase += "\x1b[A\x1b[" + std::to_string(column) + "C";
  }
  print(erase);
  flush();
  ::el_set(library_->edit, EL_UNBUFFERED, 0);
}

void LineEditor::put_away() {
  hide();
  away_ = std::exchange(line_, {});
  cursor_ = 0;
}

void LineEditor::take_back() {
  hide();
  if (line_.empty()) line_ = std::exchange(away_, {});
  cursor_ = line_.size();
}

void LineEditor::fill() {
  if (!is_shown_) return;
  pollfd key{STDIN_FILENO, POLLIN, 0};
  do {
    int count = 0;
    const char* typed = ::el_gets(library_->edit, &count);
    if (typed == nullptr || count <= 0) {
      if (count == 0) end();
      break;
    }
    if (std::string_view(typed, static_cast<std::size_t>(count)) == kEndKey) return end();
    if (typed[count - 1] != '\n') continue;
    const std::string line(typed, static_cast<std::size_t>(count - 1));
    HistEvent event{};
    if (!line.empty()) ::history(library_->past, &event, H_ENTER, line.c_str());
    add(line + "\n");
    is_shown_ = false;
    line_.clear();
    cursor_ = 0;
    ::el_set(library_->edit, EL_UNBUFFERED, 0);
    return;
  } while (::poll(&key, 1, 0) == 1);
}

}  // namespace steno
