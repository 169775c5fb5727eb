// The screen that a program has for itself, while what the terminal showed before is kept.
#pragma once

namespace steno {

// Takes it on stdout, which is a terminal; nothing happens on one that cannot ("dumb").
class OwnScreen {
 public:
  OwnScreen();
  ~OwnScreen() { leave(); }
  OwnScreen(const OwnScreen&) = delete;
  OwnScreen& operator=(const OwnScreen&) = delete;

  // Shows again what the terminal showed before.
  void leave();

 private:
  bool is_taken_ = false;
};

}  // namespace steno
