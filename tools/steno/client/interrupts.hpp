// Ctrl-C as something that can be waited for, instead of something that ends the program.
#pragma once

namespace steno {

// Blocks SIGINT for this thread, and for those that it starts later; the destructor lets it through
// again. One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Readable when Ctrl-C was pressed; -1 where the system refused, and Ctrl-C ends the program.
  int fd() const { return fd_; }
  // True once for each press, unless several came at once.
  bool take();

 private:
  int fd_ = -1;
};

}  // namespace steno
