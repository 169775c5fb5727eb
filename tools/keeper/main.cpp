// steno-keeper: the small process between a worker and one agent process. It holds the session's
// lock while the agent's process tree lives. It ends the whole tree, members in sessions of their
// own included, when the agent exits, when it is told to, or when its worker is gone.
//
//   steno-keeper [--terminal] LOCK_FILE WORKDIR -- PROGRAM [ARGUMENT…]
//   steno-keeper --guard[-tree] -- PROGRAM [ARGUMENT…]
//
// With --terminal fds 0, 1, 2 are a terminal, which becomes the agent's controlling one.
//
// The second form guards a program of the server's, such as one that delivers notifications: its
// tree is ended when fd 3 is closed at the other end, and its exit code becomes that of the keeper.
// With --guard-tree what it leaves behind at its own end is ended, too.
// An error number is sent over fd 3 if the program cannot be started.
//
// fds 0, 1, 2 are the agent's; fd 3 is the connection to the worker (workers/processes/
// keeper_protocol.hpp). Linked statically and free of libraries: one runs for every session.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "eventlog/base/file_lock.hpp"
#include "workers/processes/keeper_protocol.hpp"
#include "workers/processes/process_table.hpp"
#include "workers/processes/system_failure.hpp"
#include "workers/processes/tree_mark.hpp"

namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kControl = 3;
// Without a worker nobody reads the agent's output: this is time to close files, not to finish a
// turn.
constexpr milliseconds kAloneGrace{300};
// Time in which members of the tree are killed again and again. Together with the grace above it
// stays below the 2 s within which everything must be gone after the death of a worker.
constexpr milliseconds kTreeEndMax{1500};
// Interval between two rounds of killing, unless a child ends first.
constexpr int kRoundMs = 10;
// Longest wait for a session's lock. A keeper that lost its worker holds the lock until its tree is
// gone, for 2 s at most, and can take it just after it was seen free.
constexpr milliseconds kLockWaitMax{2500};
constexpr int kIgnored[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE};

struct Arguments {
  const char* lock_file = nullptr;
  const char* workdir = nullptr;
  char** program = nullptr;  // argv of the agent, ended by nullptr
  bool has_terminal = false;
};

// Written by the vfork child, which shares our memory, if it cannot become the agent.
struct ChildFailure {
  processes::StartFailure reason = processes::StartFailure::no_program;
  int error = 0;
};

void report(const processes::KeeperReport& message) {
  const std::string bytes = processes::encode(message);
  // A worker that is gone or does not read must not block the keeper.
  ::send(kControl, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

int fail(processes::StartFailure reason, std::string text) {
  report(processes::KeptNotStarted{reason, std::move(text)});
  return 1;
}

// Runs in the vfork child: does only what is safe there, and never returns.
[[noreturn]] void become_agent(const Arguments& arguments, pid_t keeper,
                               volatile ChildFailure& failure) {
  // A process group of its own, so that a kill(0, …) by the agent does not hit the keeper. Only the
  // leader of a session can take a terminal.
  if (arguments.has_terminal) {
    ::setsid();
    ::ioctl(STDIN_FILENO, TIOCSCTTY, 0);
  } else {
    ::setpgid(0, 0);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) ::_exit(127);  // the keeper died before the line above
  for (int number : kIgnored) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (arguments.workdir != nullptr && ::chdir(arguments.workdir) != 0) {
    failure.reason = processes::StartFailure::no_folder;
    failure.error = errno;
    ::_exit(127);
  }
  ::close_range(kControl, ~0U, 0);
  ::execvpe(arguments.program[0], arguments.program, environ);
  failure.reason = processes::StartFailure::no_program;
  failure.error = errno;
  ::_exit(127);
}

[[gnu::noinline]] pid_t start_agent(const Arguments& arguments, volatile ChildFailure& failure) {
  const pid_t keeper = ::getpid();
  const pid_t child = ::vfork();
  // POSIX allows only exec there; Linux shares memory and blocks this thread until the exec.
  if (child == 0) become_agent(arguments, keeper, failure);  // NOLINT(clang-analyzer-unix.Vfork)
  if (child < 0) failure.error = errno;
  return child;
}

processes::ProcessTable kill_tree() {
  return processes::kill_selected([](const processes::ProcessTable& table) {
    return processes::descendants_of(::getpid(), table);
  });
}

class Keeper {
 public:
  Keeper(pid_t agent, int signals, milliseconds alone_grace = kAloneGrace, bool ends_tree = true)
      : agent_(agent), signals_(signals), alone_grace_(alone_grace), ends_tree_(ends_tree) {}

  // Returns when the agent has exited and its tree is gone, as far as SIGKILL can achieve that.
  processes::KeptExited run() {
    while (!status_) {
      wait();
      reap();
      if (status_) break;
      obey();
      if (kill_at_ && SteadyClock::now() >= *kill_at_) {
        kill_tree();
        kill_at_ = SteadyClock::now() + milliseconds(kRoundMs);
      }
    }
    processes::KeptExited exited;
    exited.left_behind = ends_tree_ || is_alone_ ? end_tree() : 0;
    if (WIFEXITED(*status_)) exited.code = WEXITSTATUS(*status_);
    if (WIFSIGNALED(*status_)) exited.signal = WTERMSIG(*status_);
    return exited;
  }

 private:
  void wait() {
    int timeout_ms = -1;
    if (kill_at_) {
      const auto left = std::chrono::ceil<milliseconds>(*kill_at_ - SteadyClock::now());
      timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
    }
    pollfd fds[] = {{signals_, POLLIN, 0}, {is_alone_ ? -1 : kControl, POLLIN, 0}};
    ::poll(fds, 2, timeout_ms);
  }

  // Collects every child that has ended. Returns false if no child is left. Then no descendant is
  // left either, because the orphans of a sub-reaper's tree become its children.
  bool reap() {
    signalfd_siginfo ignored;
    while (::read(signals_, &ignored, sizeof ignored) > 0) continue;
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG | __WALL);
      if (pid == agent_) status_ = status;
      if (pid < 0 && errno == EINTR) continue;
      if (pid <= 0) return pid == 0;
    }
  }

  void obey() {
    char bytes[processes::kKeeperMessageBytesMax];
    while (!is_alone_) {
      const ssize_t count = ::recv(kControl, bytes, sizeof bytes, MSG_DONTWAIT);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) {
        is_alone_ = true;
        terminate(alone_grace_);
        return;
      }
      const auto command = processes::decode_command({bytes, static_cast<std::size_t>(count)});
      if (!command) continue;
      if (const auto* wish = std::get_if<processes::TerminateAgent>(&*command)) {
        terminate(milliseconds(std::min<std::int64_t>(wish->grace_ms, 86'400'000)));
      } else {
        kill_by(SteadyClock::now());
      }
    }
  }

  void terminate(milliseconds grace) {
    ::kill(agent_, SIGTERM);  // not reaped yet, so the pid is still the agent's
    kill_by(SteadyClock::now() + grace);
  }

  bool is_guard() const { return alone_grace_.count() == 0; }

  void kill_by(SteadyClock::time_point when) {
    kill_at_ = kill_at_ ? std::min(*kill_at_, when) : when;
  }

  // Returns how many members of the tree are left.
  std::int64_t end_tree() {
    const auto deadline = SteadyClock::now() + kTreeEndMax;
    while (reap()) {
      if (SteadyClock::now() >= deadline) {
        const auto left = processes::descendants_of(::getpid(), processes::all_processes());
        return std::count_if(left.begin(), left.end(),
                             [](const auto& row) { return !row.has_ended(); });
      }
      kill_tree();
      pollfd fd{signals_, POLLIN, 0};
      ::poll(&fd, 1, kRoundMs);
    }
    return 0;
  }

  const pid_t agent_;
  const int signals_;
  const milliseconds alone_grace_;  // 0: it guards a program
  const bool ends_tree_;            // what the program leaves behind at its own end is ended
  bool is_alone_ = false;           // the worker is gone
  std::optional<int> status_;
  std::optional<SteadyClock::time_point> kill_at_;
};

// Returns a descriptor for SIGCHLD, and ignores all signals that could end the keeper before its
// tree.
int prepare() {
  for (int number : kIgnored) ::signal(number, SIG_IGN);
  ::fcntl(kControl, F_SETFD, FD_CLOEXEC);
  ::close_range(kControl + 1, ~0U, 0);
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &child, nullptr);
  return ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

std::string start_failure_text(const Arguments& arguments, const volatile ChildFailure& failure) {
  const bool is_folder = failure.reason == processes::StartFailure::no_folder;
  std::string text = is_folder ? "cannot enter the working folder " : "cannot start ";
  text += is_folder ? arguments.workdir : arguments.program[0];
  return text + ": " + processes::errno_text(failure.error);
}

// Waits this long; true if the worker is gone or has sent something.
bool is_called(int wait_ms) {
  pollfd fd{kControl, POLLIN, 0};
  return ::poll(&fd, 1, wait_ms) > 0;
}

bool is_abandoned() {
  pollfd fd{kControl, 0, 0};
  return ::poll(&fd, 1, 0) > 0 && (fd.revents & POLLHUP) != 0;
}

base::Result<base::FileLock> take_lock(const char* path) {
  const auto deadline = SteadyClock::now() + kLockWaitMax;
  for (;;) {
    auto lock = base::FileLock::take(path);
    if (lock || lock.error().code != base::ErrorCode::in_use) return lock;
    if (SteadyClock::now() >= deadline || is_called(kRoundMs)) return lock;
  }
}

int keep(const Arguments& arguments) {
  const int signals = prepare();
  auto lock = take_lock(arguments.lock_file);
  if (!lock) {
    const bool is_held = lock.error().code == base::ErrorCode::in_use;
    return fail(is_held ? processes::StartFailure::lock_held : processes::StartFailure::lock_failed,
                base::describe(lock.error()));
  }
  if (is_abandoned()) return 1;  // while it waited; nobody is left to be told
  if (const auto mark = processes::tree_mark(arguments.lock_file)) processes::take_mark(*mark);
  volatile ChildFailure failure;
  const pid_t agent = start_agent(arguments, failure);
  if (failure.error != 0) return fail(failure.reason, start_failure_text(arguments, failure));
  // From here the agent and its children are the only holders of its pipes.
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
  ::chdir("/") == 0 ? void() : void();  // blocks no unmount; nothing depends on it

  const auto row = processes::read_process(agent);
  report(processes::KeptStarted{agent, row ? static_cast<std::int64_t>(row->start_ticks) : 0});
  report(Keeper(agent, signals).run());
  return 0;
}

// Returns the exit code of the program, as a shell has it.
int guard(char** program, bool ends_tree) {
  const int signals = prepare();
  const Arguments arguments{nullptr, nullptr, program};
  volatile ChildFailure failure;
  const pid_t child = start_agent(arguments, failure);
  if (const int error = failure.error; error != 0) {
    ::send(kControl, &error, sizeof error, MSG_NOSIGNAL | MSG_DONTWAIT);
    return 127;
  }
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
  const processes::KeptExited exited = Keeper(child, signals, milliseconds{0}, ends_tree).run();
  const auto number = static_cast<int>(exited.signal);
  if (number == 0) return static_cast<int>(exited.code);
  // Whoever waits is to see the same signal.
  ::signal(number, SIG_DFL);
  ::kill(::getpid(), number);
  return 128 + number;
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_behind = argc > 3 && std::strcmp(argv[2], "--") == 0;
  const bool guards_tree = is_behind && std::strcmp(argv[1], "--guard-tree") == 0;
  if (guards_tree || (is_behind && std::strcmp(argv[1], "--guard") == 0)) {
    ::_exit(guard(argv + 3, guards_tree));
  }
  const bool has_terminal = argc > 1 && std::strcmp(argv[1], "--terminal") == 0;
  if (has_terminal) --argc, ++argv;
  if (argc < 5 || std::strcmp(argv[3], "--") != 0) {
    constexpr char kUsage[] =
        "usage: steno-keeper [--terminal] LOCK_FILE WORKDIR -- PROGRAM [ARGUMENT…]\n";
    return ::write(STDERR_FILENO, kUsage, sizeof kUsage - 1) > 0 ? 2 : 2;
  }
  // With _exit the lock is released with the process, after the last report.
  ::_exit(keep({argv[1], argv[2], argv + 4, has_terminal}));
}
