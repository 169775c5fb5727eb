// A process-wide flag refuses a second context.
#include "bus/context.hpp"

#include <pthread.h>

#include <atomic>
#include <csignal>

#include "bus/zmq_socket.hpp"
#include "eventlog/base/check.hpp"

namespace bus {
namespace {

std::atomic<bool> exists{false};

// ZeroMQ starts its threads with the first socket, and they block signals only once they run.
// Before that, one would take a signal that the caller has blocked to read it.
void start_threads(zmq::context_t& context) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    static_cast<void>(zmq::socket_t(context, zmq::socket_type::pair));
  } catch (const zmq::error_t&) {
    // The socket that is needed says why there is none.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

Context::Context() {
  CHECK(!exists.exchange(true));
  state_ = std::make_unique<State>();
  start_threads(state_->context);
}

Context::~Context() {
  state_.reset();
  exists = false;
}

}  // namespace bus
