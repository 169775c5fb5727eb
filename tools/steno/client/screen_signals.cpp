// Takes the signals from a signalfd while they are blocked.
#include "tools/steno/client/screen_signals.hpp"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace steno {

ScreenSignals::ScreenSignals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGWINCH);
  struct sigaction before {};
  ::sigaction(SIGTSTP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaddset(&set_, SIGTSTP);
  fd_ = ::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ >= 0) pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

ScreenSignals::~ScreenSignals() {
  if (fd_ < 0) return;
  take();
  ::close(fd_);
  pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
}

bool ScreenSignals::take() {
  bool has_stop = false;
  signalfd_siginfo info{};
  while (fd_ >= 0 && ::read(fd_, &info, sizeof info) == sizeof info) {
    has_stop = has_stop || info.ssi_signo == SIGTSTP;
  }
  return has_stop;
}

void ScreenSignals::stop() {
  // Others, such as ncurses, can have a handler of their own.
  struct sigaction usual {};
  struct sigaction before {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGTSTP, &usual, &before);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGTSTP);
  ::raise(SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  pthread_sigmask(SIG_BLOCK, &only, nullptr);
  ::sigaction(SIGTSTP, &before, nullptr);
}

}  // namespace steno
