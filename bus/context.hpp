// The process's one ZeroMQ context: its I/O thread and the state that its sockets share. A second
// one at a time is a broken invariant, because libzmq 4.3.4 crashes when one of two closes.
#pragma once

#include <memory>

namespace bus {

class Context {
 public:
  Context();
  // Waits, at most a second, for frames that its sockets still send. All sockets must be closed
  // before.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  struct State;  // zmq_socket.hpp
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace bus
