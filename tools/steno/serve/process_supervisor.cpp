// Knows a living process by its lock, since one that an earlier server started is not a child.
#include "tools/steno/serve/process_supervisor.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "bus/poller.hpp"
#include "eventlog/base/file_lock.hpp"
#include "eventlog/base/unique_fd.hpp"
#include "tools/steno/serve/log_rotation.hpp"
#include "workers/client/server_place.hpp"
#include "workers/processes/pidfd.hpp"

namespace steno {
namespace {

constexpr base::Duration kBackOffMin = std::chrono::milliseconds(50);
// The next worker ends orphans of dead keepers, which must happen within 2 s.
constexpr base::Duration kBackOffMax = std::chrono::seconds(1);
constexpr base::Duration kHealthyAfter = std::chrono::seconds(1);  // beyond its back-off

}  // namespace

ProcessSupervisor::ProcessSupervisor(std::string name, std::vector<std::string> argv,
                                     std::string lock_path, std::string log_path)
    : name_(std::move(name)),
      argv_(std::move(argv)),
      lock_path_(std::move(lock_path)),
      log_path_(std::move(log_path)),
      back_off_(kBackOffMin) {}

bool ProcessSupervisor::is_alive() {
  if (child_ != 0 && waitpid(child_, nullptr, WNOHANG) == child_) child_ = 0;
  return child_ != 0 || base::is_locked(lock_path_).value_or(false);
}

void ProcessSupervisor::do_work(base::Duration now) {
  if (now >= look_at_) {
    look_at_ = now + LogRotation::kLookEvery;
    if (!argv_.empty()) empty_large_log(log_path_);
  }
  if (is_stopping_) return ask_to_end();
  if (argv_.empty() || now < next_start_ || is_alive()) return;
  start(now);
}

void ProcessSupervisor::start(base::Duration now) {
  // A process that lived for a while was healthy. One that dies at once is restarted after ever
  // longer waits, up to kBackOffMax.
  back_off_ =
      now - next_start_ > kHealthyAfter ? kBackOffMin : std::min(back_off_ * 2, kBackOffMax);
  next_start_ = now + back_off_;

  rotate_before_start(log_path_);
  const base::UniqueFd log(
      ::open(log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.is_open()) {
    // Not the program's failure: its log's folder is not there, or cannot be written.
    spdlog::error("{}_not_started log={} reason=\"{}\"", name_, log_path_, std::strerror(errno));
    return;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, log.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> argv;
  for (const std::string& part : argv_) argv.push_back(const_cast<char*>(part.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    spdlog::error("{}_not_started program={} reason=\"{}\"", name_, argv_[0],
                  std::strerror(failed));
    return;
  }
  child_ = child;
  spdlog::info("{}_started pid={}", name_, child);
}

void ProcessSupervisor::stop(int signal) {
  stop_signal_ = signal;
  is_stopping_ = true;
  is_asked_ = false;
  ask_to_end();
}

void ProcessSupervisor::wait_for_end(base::Duration max) {
  if (!is_alive() || child_ == 0) return;
  const base::UniqueFd handle(::pidfd_open(child_, 0));
  bus::PollItem end = bus::PollItem::of(handle.get());
  static_cast<void>(bus::poll({&end, 1}, max));
  is_alive();
}

void ProcessSupervisor::ask_to_end() {
  if (is_asked_ || argv_.empty() || !is_alive()) return;
  if (child_ != 0) {
    is_asked_ = ::kill(child_, stop_signal_) == 0;
    return;
  }
  // Not our child. The lock's holder can for a moment still be the previous one, whose pid can
  // belong to anybody by now. So a process is signalled only if it has the lock file open.
  const pid_t pid = base::lock_holder(lock_path_);
  if (pid <= 1) return;
  const base::UniqueFd handle(::pidfd_open(pid, 0));
  if (handle.get() < 0 || !workers::has_open(pid, lock_path_)) return;
  is_asked_ = ::pidfd_send_signal(handle.get(), stop_signal_, nullptr, 0) == 0;
}

}  // namespace steno
