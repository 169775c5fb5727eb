// The terminal on stdin and stdout, over ncurses. That library knows how each kind of terminal is
// drawn on, sends it only what differs from what it shows, and reads its keys.
#pragma once

#include <memory>
#include <optional>

#include "tools/steno/text/failure.hpp"
#include "tools/steno/top/key.hpp"
#include "tools/steno/top/screen.hpp"

namespace steno {

// Only one can exist in a process, which has one thread of its own. The destructor gives the
// terminal back.
class CursesTerminal {
 public:
  // Failure: the terminal cannot be drawn on.
  static Outcome<std::unique_ptr<CursesTerminal>> open(bool has_color);
  ~CursesTerminal();
  CursesTerminal(const CursesTerminal&) = delete;
  CursesTerminal& operator=(const CursesTerminal&) = delete;

  int input_fd() const;
  // Readable when the size has changed, or Ctrl-Z was pressed, until take_signals().
  int signal_fd() const;
  // Takes in the size. After Ctrl-Z the terminal is given back first, and the process stops until
  // its shell lets it go on; true: it has.
  bool take_signals();
  ScreenSize size() const;

  // Draws the lines that are not on the terminal yet.
  void draw(const Screen& screen);
  // Has all lines drawn again, over whatever others have written there.
  void redraw();

  // Returns the next key that was pressed; none: none was.
  std::optional<PressedKey> take_key();
  // True if the terminal is gone, so that no key will come.
  bool is_gone() const;

 private:
  struct Library;
  explicit CursesTerminal(std::unique_ptr<Library> library);
  // Shows again what the terminal showed before.
  void give_back();
  void take_size();

  const std::unique_ptr<Library> library_;
};

}  // namespace steno
