// The sequences are xterm's (1049), which terminals of today know.
#include "tools/steno/client/own_screen.hpp"

#include <utility>

#include "tools/steno/text/console.hpp"

namespace steno {

void OwnScreen::take() {
  is_taken_ = can_draw();
  if (!is_taken_) return;
  print("\x1b[?1049h\x1b[H");
  flush();
}

void OwnScreen::leave() {
  if (!std::exchange(is_taken_, false)) return;
  print("\x1b[?1049l");
  flush();
}

}  // namespace steno
