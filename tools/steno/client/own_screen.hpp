// The screen that a program has for itself, while what the terminal showed before is kept.
#pragma once

namespace steno {

class OwnScreen {
 public:
  OwnScreen() { take(); }
  ~OwnScreen() { leave(); }
  OwnScreen(const OwnScreen&) = delete;
  OwnScreen& operator=(const OwnScreen&) = delete;

  // Takes it on stdout; nothing happens where can_draw() (console.hpp) is false.
  void take();
  // Shows again what the terminal showed before.
  void leave();

 private:
  bool is_taken_ = false;
};

}  // namespace steno
