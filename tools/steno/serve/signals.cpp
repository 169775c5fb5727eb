// Blocks the signals and reads them from a signalfd.
#include "tools/steno/serve/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace steno {

namespace {

// A blocked signal is taken although it is ignored, so one that came ignored is not blocked. Only
// SIGHUP is meant so (nohup): a shell also ignores SIGINT for what it starts in the background.
bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGTERM, SIGINT}) sigaddset(&set, number);
  if (!is_ignored(SIGHUP)) sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

StopSignals::~StopSignals() {
  close(fd_);
}

int StopSignals::take() {
  signalfd_siginfo info{};
  if (read(fd_, &info, sizeof info) != sizeof info) return 0;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace steno
