// Turns Ctrl-C into something to wait for, instead of the end of the program.
#pragma once

namespace steno {

// Blocks SIGINT for this thread and for threads that it starts later. The destructor unblocks it.
// Only one can exist at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Readable when Ctrl-C was pressed. -1 if the system refused; Ctrl-C then ends the program.
  int fd() const { return fd_; }
  // True once for each press; presses that arrive together can count as one.
  bool take();
  // True once any was taken, by whoever waited.
  bool was_taken() const { return was_taken_; }

 private:
  int fd_ = -1;
  bool was_taken_ = false;
};

}  // namespace steno
