// The program is in this process's group, so the terminal's signals reach both.
#include "tools/steno/client/terminal_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "eventlog/base/unique_fd.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/processes/program_environment.hpp"

namespace steno {
namespace {

class SignalsLeft {
 public:
  SignalsLeft() {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignored, &interrupt_);
    ::sigaction(SIGQUIT, &ignored, &quit_);
  }
  SignalsLeft(const SignalsLeft&) = delete;
  SignalsLeft& operator=(const SignalsLeft&) = delete;
  ~SignalsLeft() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGQUIT, &quit_, nullptr);
  }

 private:
  struct sigaction interrupt_ {};
  struct sigaction quit_ {};
};

// Holds what a program is started with, and its files open until then.
class ProgramStart {
 public:
  explicit ProgramStart(const TerminalRun& how) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    if (!how.folder.empty()) {
      ::posix_spawn_file_actions_addchdir_np(&actions, how.folder.c_str());
    }
    if (how.takes_terminal) take_terminal();
    sigset_t none;
    ::sigemptyset(&none);
    sigset_t defaults = none;
    for (const int one : {SIGINT, SIGQUIT, SIGPIPE}) ::sigaddset(&defaults, one);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ProgramStart(const ProgramStart&) = delete;
  ProgramStart& operator=(const ProgramStart&) = delete;
  ~ProgramStart() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

 private:
  void take_terminal() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) {
      if (::isatty(fd) == 1) continue;
      const bool is_input = fd == STDIN_FILENO;
      base::UniqueFd& terminal = is_input ? input_ : output_;
      terminal = base::UniqueFd(::open("/dev/tty", (is_input ? O_RDONLY : O_WRONLY) | O_CLOEXEC));
      if (terminal.is_open()) ::posix_spawn_file_actions_adddup2(&actions, terminal.get(), fd);
    }
  }

  base::UniqueFd input_;
  base::UniqueFd output_;
};

}  // namespace

TerminalEnd run_on_terminal(const std::vector<std::string>& argv, const TerminalRun& how) {
  flush();
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& word : argv) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::vector<char*> environment = processes::environment_with(how.environment);
  const SignalsLeft signals;
  pid_t child = 0;
  const ProgramStart start(how);
  const int error = ::posix_spawnp(&child, arguments.front(), &start.actions, &start.attributes,
                                   arguments.data(), environment.data());
  if (error != 0) return {std::string("cannot be started: ") + std::strerror(error)};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return {std::string("is lost: ") + std::strerror(errno)};
  }
  TerminalEnd end;
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace steno
