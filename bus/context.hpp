// The process's one ZeroMQ context: its I/O thread and what its sockets share. More than one at a
// time crashes libzmq 4.3.4 when one of them closes, so a second one is a broken invariant.
#pragma once

#include <memory>

namespace bus {

class Context {
 public:
  Context();
  // Waits for what its sockets still send, a second at most. All of them must be closed before.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  struct State;  // zmq_socket.hpp
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace bus
