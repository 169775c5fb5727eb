// The signals that a program with a screen of its own must see to: another size of the terminal,
// and Ctrl-Z.
#pragma once

#include <csignal>

namespace steno {

// Only one can exist in a process. While it does, the signals do nothing by themselves. Ctrl-Z is
// left alone where it was ignored before.
class ScreenSignals {
 public:
  ScreenSignals();
  ~ScreenSignals();
  ScreenSignals(const ScreenSignals&) = delete;
  ScreenSignals& operator=(const ScreenSignals&) = delete;

  // Readable when one has come, until take(). -1: the system refused, and none does.
  int fd() const { return fd_; }
  // Takes all that have come. True: one is Ctrl-Z. The caller then leaves the screen, and stops.
  bool take();
  // Stops the process as Ctrl-Z does; returns once the shell lets it go on. Returns at once where
  // no shell could.
  void stop();

 private:
  sigset_t set_;
  int fd_ = -1;
};

}  // namespace steno
