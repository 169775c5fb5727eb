// Text is always UTF-8 here, so the locale is C.UTF-8, whatever the user's is. A line with other
// characters than ASCII is drawn whole, since terminals differ in how wide they draw some of them.
#include "tools/steno/top/curses_terminal.hpp"

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdio>
#include <cwchar>
#include <string>
#include <vector>

#include "tools/steno/client/screen_signals.hpp"
#include "tools/steno/top/drawable_terminal.hpp"

namespace steno {
namespace {

// Codes of our own, for what xterm sends around a pasted text.
constexpr int kPasteBegin = KEY_MAX + 1;
constexpr int kPasteEnd = KEY_MAX + 2;
constexpr const char* kBracketPastes = "\x1b[?2004h";
constexpr const char* kPlainPastes = "\x1b[?2004l";

// A key that sends an escape sequence is told from Esc by the time between its bytes.
constexpr int kEscapeMs = 50;

// No terminal of a person is larger. ncurses keeps some ten bytes of each cell, several times.
constexpr std::size_t kRowsMax = 1'000;
constexpr std::size_t kColumnsMax = 1'000;

enum ColorPair : short { kNoColor, kGreen, kYellow, kRed };

void send_now(const char* sequence) {
  std::fputs(sequence, stdout);
  std::fflush(stdout);
}

bool is_ascii(const ScreenLine& line) {
  return std::all_of(line.begin(), line.end(), [](const Span& span) {
    return std::all_of(span.text.begin(), span.text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  });
}

PressedKey key_of_code(int code) {
  switch (code) {
    case KEY_UP:
      return {KeyName::up};
    case KEY_DOWN:
      return {KeyName::down};
    case KEY_LEFT:
      return {KeyName::left};
    case KEY_RIGHT:
      return {KeyName::right};
    case KEY_PPAGE:
      return {KeyName::page_up};
    case KEY_NPAGE:
      return {KeyName::page_down};
    case KEY_HOME:
      return {KeyName::home};
    case KEY_END:
      return {KeyName::end};
    case KEY_ENTER:
      return {KeyName::enter};
    case KEY_BACKSPACE:
      return {KeyName::backspace};
    case kPasteBegin:
      return {KeyName::paste_begin};
    case kPasteEnd:
      return {KeyName::paste_end};
    default:
      return {KeyName::other};
  }
}

PressedKey key_of_character(wchar_t character) {
  switch (character) {
    case L'\r':
    case L'\n':
      return {KeyName::enter};
    case L'\t':
      return {KeyName::tab};
    case L'\b':
    case 0x7F:
      return {KeyName::backspace};
    case 0x01:  // Ctrl-A
      return {KeyName::home};
    case 0x05:  // Ctrl-E
      return {KeyName::end};
    case 0x0C:  // Ctrl-L
      return {KeyName::redraw};
    case 0x15:  // Ctrl-U
      return {KeyName::erase_line};
    case 0x17:  // Ctrl-W
      return {KeyName::erase_word};
    case 0x1B:
      return {KeyName::escape};
    default:
      break;
  }
  if (character < 0x20) return {KeyName::other};
  std::array<char, 16> bytes{};
  std::mbstate_t state{};
  const std::size_t count = std::wcrtomb(bytes.data(), character, &state);
  if (count == static_cast<std::size_t>(-1)) return {KeyName::other};
  return {KeyName::character, std::string(bytes.data(), count)};
}

}  // namespace

struct CursesTerminal::Library {
  ScreenSignals signals;
  SCREEN* screen = nullptr;
  bool has_color = false;
  std::vector<ScreenLine> shown;

  attr_t attributes_of(Style style) const {
    const auto colored = [&](ColorPair pair, attr_t without) {
      return has_color ? static_cast<attr_t>(COLOR_PAIR(pair)) : without;
    };
    switch (style) {
      case Style::plain:
        return A_NORMAL;
      case Style::strong:
        return A_BOLD;
      case Style::dim:
        return A_DIM;
      case Style::chosen:
        return A_REVERSE;
      case Style::good:
        return colored(kGreen, A_NORMAL);
      case Style::warned:
        return colored(kYellow, A_BOLD);
      case Style::bad:
        return colored(kRed, A_BOLD);
    }
    return A_NORMAL;
  }
};

Outcome<std::unique_ptr<CursesTerminal>> CursesTerminal::open(bool has_color) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  ::use_env(FALSE);
  auto library = std::make_unique<Library>();
  library->screen = ::newterm(nullptr, stdout, stdin);
  if (library->screen == nullptr) return not_drawable("it did not begin");
  library->has_color = has_color && ::has_colors() && ::start_color() == OK;
  if (library->has_color) {
    ::use_default_colors();
    ::init_pair(kGreen, COLOR_GREEN, -1);
    ::init_pair(kYellow, COLOR_YELLOW, -1);
    ::init_pair(kRed, COLOR_RED, -1);
  }
  ::cbreak();
  ::noecho();
  ::nonl();
  ::intrflush(stdscr, FALSE);
  ::keypad(stdscr, TRUE);
  ::nodelay(stdscr, TRUE);
  ::set_escdelay(kEscapeMs);
  ::define_key("\x1b[200~", kPasteBegin);
  ::define_key("\x1b[201~", kPasteEnd);
  std::unique_ptr<CursesTerminal> terminal(new CursesTerminal(std::move(library)));
  terminal->take_size();
  terminal->redraw();
  send_now(kBracketPastes);
  return terminal;
}

CursesTerminal::CursesTerminal(std::unique_ptr<Library> library) : library_(std::move(library)) {}

CursesTerminal::~CursesTerminal() {
  give_back();
  ::delscreen(library_->screen);
}

void CursesTerminal::give_back() {
  send_now(kPlainPastes);
  ::curs_set(1);
  ::endwin();
}

int CursesTerminal::input_fd() const {
  return STDIN_FILENO;
}

int CursesTerminal::signal_fd() const {
  return library_->signals.fd();
}

ScreenSize CursesTerminal::size() const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  const ScreenSize unknown;
  return {size.ws_row > 0 ? std::min<std::size_t>(size.ws_row, kRowsMax) : unknown.rows,
          size.ws_col > 0 ? std::min<std::size_t>(size.ws_col, kColumnsMax) : unknown.columns};
}

bool CursesTerminal::take_signals() {
  const bool is_to_stop = library_->signals.take();
  if (is_to_stop) {
    give_back();
    library_->signals.stop();
    ::wrefresh(stdscr);  // takes the terminal again
    send_now(kBracketPastes);
    redraw();
  }
  take_size();
  return is_to_stop;
}

void CursesTerminal::take_size() {
  const ScreenSize now = size();
  ::resizeterm(static_cast<int>(now.rows), static_cast<int>(now.columns));
  library_->shown.clear();
  ::werase(stdscr);
}

void CursesTerminal::redraw() {
  library_->shown.clear();
  ::clearok(stdscr, TRUE);
}

void CursesTerminal::draw(const Screen& screen) {
  std::vector<ScreenLine>& shown = library_->shown;
  const std::size_t rows = size().rows;
  shown.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const ScreenLine line = row < screen.lines.size() ? screen.lines[row] : ScreenLine{};
    if (line == shown[row]) continue;
    const int at = static_cast<int>(row);
    if (!is_ascii(line) || !is_ascii(shown[row])) ::wredrawln(stdscr, at, 1);
    ::wmove(stdscr, at, 0);
    ::wattrset(stdscr, A_NORMAL);
    ::wclrtoeol(stdscr);
    for (const Span& span : line) {
      ::wattrset(stdscr, static_cast<int>(library_->attributes_of(span.style)));
      ::waddstr(stdscr, span.text.c_str());
    }
    shown[row] = line;
  }
  ::wattrset(stdscr, A_NORMAL);
  ::curs_set(screen.cursor ? 1 : 0);
  if (screen.cursor && !screen.lines.empty()) {
    ::wmove(stdscr, static_cast<int>(screen.lines.size() - 1), static_cast<int>(*screen.cursor));
  }
  ::wrefresh(stdscr);
}

std::optional<PressedKey> CursesTerminal::take_key() {
  wint_t taken = 0;
  switch (::wget_wch(stdscr, &taken)) {
    case OK:
      return key_of_character(static_cast<wchar_t>(taken));
    case KEY_CODE_YES:
      return key_of_code(static_cast<int>(taken));
    default:
      return std::nullopt;
  }
}

bool CursesTerminal::is_gone() const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) == 1 && (input.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace steno
