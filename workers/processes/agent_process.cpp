// Pipes or a terminal are made above the keeper's descriptors, and the keeper is started with
// posix_spawn and watched by a pidfd.
#include "workers/processes/agent_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>

#include "workers/processes/kept_process.hpp"
#include "workers/processes/pidfd.hpp"
#include "workers/processes/system_failure.hpp"

namespace processes {
namespace {

constexpr int kKeeperFds = 4;  // stdin, stdout, stderr, control: fds 0 to 3 of the keeper
// Our ends of pipes are kept above the keeper's numbers: a dup2 of a descriptor onto itself would
// leave close-on-exec set.
constexpr int kLowestFd = 10;

struct Ends {
  KeptPipes ours;
  std::array<base::UniqueFd, kKeeperFds> keepers;
};

bool lift(int fd, base::UniqueFd& out) {
  out = base::UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, kLowestFd));
  return out.is_open();
}

bool open_pipe(base::UniqueFd& read_end, base::UniqueFd& write_end) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return false;
  const base::UniqueFd low_read(fds[0]);
  const base::UniqueFd low_write(fds[1]);
  return lift(fds[0], read_end) && lift(fds[1], write_end);
}

bool open_control(base::UniqueFd& ours, base::UniqueFd& keepers) {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) return false;
  const base::UniqueFd low_ours(fds[0]);
  const base::UniqueFd low_keepers(fds[1]);
  return lift(fds[0], ours) && lift(fds[1], keepers);
}

bool set_nonblocking(const base::UniqueFd& fd) {
  return ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK) == 0;
}

bool open_pipes(Ends& ends) {
  return open_pipe(ends.keepers[0], ends.ours.stdin_end) &&
         open_pipe(ends.ours.stdout_end, ends.keepers[1]) &&
         open_pipe(ends.ours.stderr_end, ends.keepers[2]) && set_nonblocking(ends.ours.stdin_end) &&
         set_nonblocking(ends.ours.stdout_end) && set_nonblocking(ends.ours.stderr_end);
}

// The program's side is all three of its descriptors; it becomes its controlling terminal in the
// keeper. Ours is there twice, so that each direction ends by itself.
bool open_terminal(const TerminalSize& size, Ends& ends) {
  const base::UniqueFd low(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!low.is_open() || ::grantpt(low.get()) != 0 || ::unlockpt(low.get()) != 0) return false;
  std::array<char, 128> name{};
  if (const int error = ::ptsname_r(low.get(), name.data(), name.size()); error != 0) {
    errno = error;
    return false;
  }
  const base::UniqueFd theirs(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!theirs.is_open()) return false;
  winsize in_cells{};
  in_cells.ws_col = size.columns;
  in_cells.ws_row = size.rows;
  if (::ioctl(theirs.get(), TIOCSWINSZ, &in_cells) != 0) return false;
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (!lift(theirs.get(), ends.keepers[static_cast<std::size_t>(fd)])) return false;
  }
  return lift(low.get(), ends.ours.stdin_end) && lift(low.get(), ends.ours.stdout_end) &&
         set_nonblocking(ends.ours.stdout_end);
}

Result<Ends> open_ends(const std::optional<TerminalSize>& terminal) {
  Ends ends;
  const bool has_output = terminal ? open_terminal(*terminal, ends) : open_pipes(ends);
  if (!has_output) {
    return system_failure(errno, terminal ? "cannot make a terminal" : "cannot make pipes");
  }
  if (!open_control(ends.ours.control, ends.keepers[3])) {
    return system_failure(errno, "cannot make pipes");
  }
  return ends;
}

bool has_name(const std::string& entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
}

// The markers come last. A program that writes its title over its arguments reaches only the first
// entries of the environment.
std::vector<std::string> marked_environment(const KeeperPlan& plan) {
  std::vector<std::string> env;
  for (const std::string& entry : plan.agent.environment) {
    if (!has_name(entry, kSessionMarker) && !has_name(entry, kLockMarker)) env.push_back(entry);
  }
  env.push_back(std::string(kSessionMarker) + "=" + plan.session.text());
  env.push_back(std::string(kLockMarker) + "=" + plan.lock_file);
  return env;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (std::string& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

Result<void> check(const KeeperPlan& plan) {
  const auto invalid = [](std::string text) {
    return base::failure(base::ErrorCode::invalid, std::move(text));
  };
  if (plan.agent.argv.empty() || plan.agent.argv[0].empty()) return invalid("no program to start");
  if (!plan.lock_file.starts_with('/')) return invalid("the lock file's path is not absolute");
  if (plan.workdir.empty()) return invalid("no working folder");
  if (plan.frame_bytes_max == 0) return invalid("frames of no bytes");
  for (const auto* strings : {&plan.agent.argv, &plan.agent.environment}) {
    for (const std::string& text : *strings) {
      if (text.find('\0') != std::string::npos) return invalid("a NUL byte in an argument");
    }
  }
  return {};
}

// Uses posix_spawn, which does not copy the worker's memory, however large it has grown.
Result<pid_t> start_keeper(const KeeperPlan& plan, const Ends& ends) {
  std::vector<std::string> arguments{plan.keeper};
  if (plan.agent.terminal) arguments.emplace_back("--terminal");
  arguments.insert(arguments.end(), {plan.lock_file, plan.workdir, "--"});
  arguments.insert(arguments.end(), plan.agent.argv.begin(), plan.agent.argv.end());
  std::vector<std::string> env = marked_environment(plan);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int fd = 0; fd < kKeeperFds; ++fd) {
    ::posix_spawn_file_actions_adddup2(&actions, ends.keepers[static_cast<std::size_t>(fd)].get(),
                                       fd);
  }
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, plan.keeper.c_str(), &actions, &attributes,
                                  pointers(arguments).data(), pointers(env).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return system_failure(error, "cannot start the keeper", plan.keeper);
  return pid;
}

}  // namespace

Result<std::unique_ptr<AgentProcess>> spawn_under_keeper(const KeeperPlan& plan) {
  if (const auto checked = check(plan); !checked) return tl::unexpected(checked.error());
  auto ends = open_ends(plan.agent.terminal);
  if (!ends) return tl::unexpected(ends.error());
  const auto keeper = start_keeper(plan, *ends);
  if (!keeper) return tl::unexpected(keeper.error());

  ends->ours.keeper = base::UniqueFd(::pidfd_open(*keeper, 0));
  if (!ends->ours.keeper.is_open()) {
    const int error = errno;
    ends->ours = {};  // ends the keeper and its tree
    ::waitpid(*keeper, nullptr, 0);
    return system_failure(error, "cannot watch the keeper");
  }
  return std::make_unique<KeptProcess>(plan, *keeper, std::move(ends->ours));
}

Result<void> become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    return system_failure(errno, "cannot become a sub-reaper");
  }
  return {};
}

}  // namespace processes
