// SIGTERM, SIGINT and SIGHUP as a readable descriptor.
#pragma once

namespace steno {

// Blocks the signals for this thread and those that it starts, and makes them readable; also
// ignores SIGPIPE. A SIGHUP that this process was started to ignore (nohup) stays ignored.
// Construct it before any thread is started.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int fd() const { return fd_; }
  // Returns the number of a signal that came; 0: none.
  int take();

 private:
  int fd_ = -1;
};

}  // namespace steno
