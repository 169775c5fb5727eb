// A key as it was pressed.
#pragma once

#include <string>

namespace steno {

enum class KeyName {
  character,
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  home,
  end,
  enter,
  tab,
  escape,
  backspace,
  erase_line,  // Ctrl-U
  erase_word,  // Ctrl-W
  redraw,      // Ctrl-L
  paste_begin,
  paste_end,
  other,
};

struct PressedKey {
  KeyName name = KeyName::other;
  std::string text{};  // of a character, in UTF-8

  bool is(char letter) const {
    return name == KeyName::character && text.size() == 1 && text.front() == letter;
  }
};

}  // namespace steno
