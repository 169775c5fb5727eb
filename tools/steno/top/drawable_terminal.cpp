// Asks the descriptions of terminals that ncurses has.
#include "tools/steno/top/drawable_terminal.hpp"

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
#include <unistd.h>

#include <cstdlib>

namespace steno {

tl::unexpected<Failure> not_drawable(const std::string& why) {
  return fail(kExitUsage, "steno top cannot draw on this terminal: " + why);
}

Outcome<bool> check_drawable() {
  const char* name = std::getenv("TERM");
  if (name == nullptr || *name == '\0') return not_drawable("TERM is not set");
  const std::string is = std::string("TERM is ") + name;
  int found = 0;
  if (::setupterm(nullptr, STDOUT_FILENO, &found) != OK) {
    return not_drawable(is + ", which is not known");
  }
  const char* moves = ::tigetstr("cup");
  const bool can_move = moves != nullptr && moves != reinterpret_cast<const char*>(-1);
  if (!can_move) return not_drawable(is + ", whose cursor cannot be moved");
  return true;
}

}  // namespace steno
