// Takes the signals from a signalfd while they are blocked.
#include "tools/steno/connection/interrupts.hpp"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace steno {
namespace {

sigset_t interrupt_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGQUIT, SIGTERM}) sigaddset(&set, number);
  return set;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t set = interrupt_set();
  fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ >= 0) pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Interrupts::~Interrupts() {
  if (fd_ < 0) return;
  const sigset_t set = interrupt_set();
  ::close(fd_);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

bool Interrupts::take() {
  signalfd_siginfo info{};
  const bool is_taken = fd_ >= 0 && ::read(fd_, &info, sizeof info) == sizeof info;
  was_taken_ = was_taken_ || is_taken;
  is_terminated_ = is_terminated_ || (is_taken && info.ssi_signo == SIGTERM);
  is_leaving_ = is_leaving_ || is_terminated_ || (is_taken && info.ssi_signo == SIGQUIT);
  return is_taken;
}

}  // namespace steno
