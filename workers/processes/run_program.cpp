// One poll over the pidfd, the output's pipe and the stop: nothing is waited for that does not
// come.
#include "workers/processes/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "eventlog/base/unique_fd.hpp"
#include "workers/processes/pidfd.hpp"
#include "workers/processes/program_environment.hpp"
#include "workers/processes/system_failure.hpp"

namespace processes {
namespace {

constexpr int kGuardControl = 3;  // of steno-keeper
// A guard ends its program in less; then it is killed itself, and the program's own process with
// it.
constexpr int kGuardEndMs = 4'000;
constexpr std::string_view kStopped = "the server stopped";
using Clock = std::chrono::steady_clock;

struct Started {
  pid_t pid = 0;  // of the program, or of its guard
  base::UniqueFd pidfd;
  base::UniqueFd guard;  // the guard ends its program when this is closed
  base::UniqueFd output;
  base::UniqueFd errors;
};

int reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Returns a file in memory that holds the text, to be read from its beginning.
base::Result<base::UniqueFd> file_of(std::string_view text) {
  base::UniqueFd file(::memfd_create("input", MFD_CLOEXEC));
  if (!file.is_open()) return system_failure(errno, "no file in memory");
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t bytes = ::write(file.get(), text.data() + done, text.size() - done);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return system_failure(errno, "no memory for what a program reads");
    done += static_cast<std::size_t>(bytes);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// Returns the end that is written to, and puts the other one in `read`.
base::UniqueFd make_pipe(base::UniqueFd& read) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  read = base::UniqueFd(ends[0]);
  return base::UniqueFd(ends[1]);
}

base::Result<Started> start(std::vector<std::string> argv, const ProgramRun& how,
                            std::string_view input) {
  const std::string& guard = how.guard;
  const auto file = file_of(input);
  if (!file) return tl::unexpected(file.error());
  Started started;
  const base::UniqueFd theirs = make_pipe(started.output);
  const base::UniqueFd their_errors =
      how.has_errors_apart ? make_pipe(started.errors) : base::UniqueFd();
  if (!theirs.is_open() || their_errors.is_open() != how.has_errors_apart) {
    return system_failure(errno, "no pipe");
  }
  base::UniqueFd control;
  if (!guard.empty()) {
    argv.insert(argv.begin(), {guard, how.ends_tree ? "--guard-tree" : "--guard", "--"});
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
      return system_failure(errno, "no socket");
    }
    started.guard = base::UniqueFd(pair[0]);
    // Where it is 3 already, it would be closed at the exec.
    control = base::UniqueFd(::fcntl(pair[1], F_DUPFD_CLOEXEC, kGuardControl + 1));
    ::close(pair[1]);
    if (!control.is_open()) return system_failure(errno, "no socket");
  }
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& word : argv) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, file->get(), 0);
  ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions,
                                     their_errors.is_open() ? their_errors.get() : theirs.get(), 2);
  if (!how.folder.empty()) {
    ::posix_spawn_file_actions_addchdir_np(&actions, how.folder.c_str());
  }
  if (control.is_open()) {
    ::posix_spawn_file_actions_adddup2(&actions, control.get(), kGuardControl);
  }
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const std::vector<char*> environment = environment_with(how.environment);
  const int error = ::posix_spawnp(&started.pid, arguments.front(), &actions, &attributes,
                                   arguments.data(), environment.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return system_failure(error,
                          std::string("the program ") + arguments.front() + " cannot be started");
  }
  started.pidfd = base::UniqueFd(::pidfd_open(started.pid, 0));
  if (started.pidfd.is_open()) return started;
  const int fault = errno;
  ::kill(-started.pid, SIGKILL);
  reap(started.pid);
  return system_failure(fault, "the program cannot be watched");
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

// Reads what is there; returns false at the end.
bool read_some(int fd, std::string& output, std::size_t output_max) {
  std::array<char, 4096> part{};
  const ssize_t bytes = ::read(fd, part.data(), part.size());
  if (bytes <= 0) return bytes < 0 && errno == EINTR;
  const std::size_t room = output_max - std::min(output_max, output.size());
  output.append(part.data(), std::min(room, static_cast<std::size_t>(bytes)));
  return true;
}

// Returns why the program was broken off; none: it has ended.
std::optional<std::string> wait_for(Started& started, const ProgramRun& how,
                                    ProgramOutcome& outcome) {
  const base::Duration limit = how.limit;
  const Clock::time_point end = Clock::now() + limit;
  for (;;) {
    std::array<pollfd, 4> items{
        pollfd{started.pidfd.get(), POLLIN, 0}, pollfd{how.stop_fd, POLLIN, 0},
        pollfd{started.output.get(), POLLIN, 0}, pollfd{started.errors.get(), POLLIN, 0}};
    const int ready = ::poll(items.data(), items.size(), milliseconds_until(end));
    if (ready < 0 && errno != EINTR) return "the program cannot be waited for";
    // The limit also ends a program that always has something to say.
    if (ready == 0 || (items[0].revents == 0 && Clock::now() >= end)) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit).count();
      return "the program did not end within " + std::to_string(seconds) + " s, and was killed";
    }
    if (ready < 0) continue;
    const std::size_t before = outcome.output.size() + outcome.errors.size();
    const auto read = [&](const pollfd& item, base::UniqueFd& fd, std::string& text) {
      if (item.revents != 0 && !read_some(fd.get(), text, how.output_max)) fd.reset();
    };
    read(items[2], started.output, outcome.output);
    read(items[3], started.errors, outcome.errors);
    // What it wrote before its end can still be in the pipes.
    const bool has_kept = outcome.output.size() + outcome.errors.size() > before;
    if (items[0].revents != 0 && !has_kept) return std::nullopt;
    if (items[1].revents != 0) return std::string(kStopped);
  }
}

// Ends the program before its time.
void break_off(Started& started) {
  if (!started.guard.is_open()) {
    ::kill(-started.pid, SIGKILL);
    return;
  }
  started.guard.reset();
  pollfd ended{started.pidfd.get(), POLLIN, 0};
  while (::poll(&ended, 1, kGuardEndMs) < 0 && errno == EINTR) {
  }
  if (ended.revents == 0) ::kill(started.pid, SIGKILL);
}

// Returns why the guard could not start the program; 0: it could.
int guard_fault(const Started& started) {
  int error = 0;
  if (!started.guard.is_open()) return 0;
  const auto bytes = ::recv(started.guard.get(), &error, sizeof error, MSG_DONTWAIT);
  return bytes == sizeof error ? error : 0;
}

std::string problem_of(int status) {
  if (WIFSIGNALED(status)) {
    return "the program was ended by signal " + std::to_string(WTERMSIG(status));
  }
  if (WEXITSTATUS(status) == 0) return {};
  return "the program ended with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ProgramOutcome run_program(const std::vector<std::string>& argv, const ProgramRun& how,
                           std::string_view input) {
  pollfd stop{how.stop_fd, POLLIN, 0};
  if (::poll(&stop, 1, 0) > 0) return {std::string(kStopped), {}};
  auto started = start(argv, how, input);
  if (!started) return {started.error().text, {}};
  ProgramOutcome outcome;
  const auto broken_off = wait_for(*started, how, outcome);
  if (broken_off) break_off(*started);
  const int status = reap(started->pid);
  outcome.problem = broken_off ? *broken_off : problem_of(status);
  if (!broken_off && WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (const int error = guard_fault(*started); error != 0 && !broken_off) {
    outcome.problem = "the program cannot be started: " + errno_text(error);
    outcome.exit_code = -1;
  }
  outcome.output.erase(outcome.output.find_last_not_of(" \t\r\n") + 1);
  outcome.errors.erase(outcome.errors.find_last_not_of(" \t\r\n") + 1);
  return outcome;
}

}  // namespace processes
