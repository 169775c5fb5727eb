// A process-wide flag refuses a second context.
#include "bus/context.hpp"

#include <atomic>

#include "bus/zmq_socket.hpp"
#include "eventlog/base/check.hpp"

namespace bus {
namespace {

std::atomic<bool> exists{false};

}  // namespace

Context::Context() {
  CHECK(!exists.exchange(true));
  state_ = std::make_unique<State>();
}

Context::~Context() {
  state_.reset();
  exists = false;
}

}  // namespace bus
