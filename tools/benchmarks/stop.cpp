// The handler only sets a flag, which every wait looks at after EINTR.
#include "tools/benchmarks/stop.hpp"

#include <csignal>

namespace benchmarks {
namespace {

volatile std::sig_atomic_t stop_signal = 0;

void remember(int number) {
  stop_signal = number;
}

}  // namespace

void take_stop_signals() {
  struct sigaction action {};
  action.sa_handler = remember;  // without SA_RESTART, so that waits end
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool is_stopped() {
  return stop_signal != 0;
}

tl::unexpected<base::Error> stopped() {
  return base::failure(base::ErrorCode::timeout, "stopped by a signal");
}

}  // namespace benchmarks
