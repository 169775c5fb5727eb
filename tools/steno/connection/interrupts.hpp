// Turns Ctrl-C, Ctrl-\ and SIGTERM into something to wait for, instead of the end of the program.
#pragma once

namespace steno {

// Blocks SIGINT, SIGQUIT and SIGTERM for this thread and for threads that it starts later. The
// destructor unblocks it. Only one can exist at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Readable when one has come. -1 if the system refused; each then ends the program.
  int fd() const { return fd_; }
  // True once for each press; presses that arrive together can count as one.
  bool take();
  // True once any was taken, by whoever waited.
  bool was_taken() const { return was_taken_; }
  // True once Ctrl-\ or SIGTERM was taken: the user leaves, and what was begun goes on.
  bool is_leaving() const { return is_leaving_; }
  bool is_terminated() const { return is_terminated_; }

 private:
  int fd_ = -1;
  bool was_taken_ = false;
  bool is_leaving_ = false;
  bool is_terminated_ = false;
};

}  // namespace steno
