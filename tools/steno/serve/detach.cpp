// The server's stdout is a pipe until it has said "ready"; its stderr is the log.
#include "tools/steno/serve/detach.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "eventlog/base/list_files.hpp"
#include "eventlog/base/own_folder.hpp"
#include "eventlog/base/unique_fd.hpp"
#include "tools/steno/config/find_program.hpp"
#include "tools/steno/serve/log_rotation.hpp"
#include "tools/steno/serve/serve.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/exit_codes.hpp"

namespace steno {
namespace {

constexpr std::size_t kShownBytesMax = 16 << 10;  // of what a server that did not start has logged

int failed(const std::string& what, int reason) {
  complain(kExitFailed, what + ": " + std::strerror(reason));
  return kExitFailed;
}

// Returns this process's own arguments, for a server that is detached already.
std::vector<std::string> server_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string word; std::getline(file, word, '\0');) {
    arguments.push_back(word.starts_with("--detach") ? "--detached" : word);
  }
  return arguments;
}

base::Result<pid_t> start(int log, int out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, log, 2);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
  const std::vector<std::string> words = server_arguments();
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, "/proc/self/exe", &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return child;
  return base::failure(base::ErrorCode::io, std::strerror(error), "steno-server");
}

// True once the server has said that it is ready; false: it has closed its stdout.
bool is_ready(int fd) {
  std::string said;
  char bytes[256];
  for (;;) {
    const ssize_t count = ::read(fd, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    said.append(bytes, static_cast<std::size_t>(count));
    if (said.find("ready\n") != std::string::npos) return true;
  }
}

// Prints what was logged from `begin` on.
void show_log(const std::string& path, std::int64_t begin) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(begin);
  std::string line;
  for (std::size_t shown = 0; std::getline(file, line) && shown < kShownBytesMax;) {
    shown += line.size();
    remark(line);
  }
}

// Says if the server has no program for the agents of new sessions. It finds programs as this
// process does, from which it has its environment.
void warn_of_program(const Config& config) {
  const engines::CatalogEntry* engine = config.engines.find(config.session.engine);
  if (engine == nullptr || engine->settings.program.empty()) return;
  const std::string& program = engine->settings.program.front();
  const char* path = std::getenv("PATH");
  if (!find_program(program, path == nullptr ? "" : path).empty()) return;
  remark("steno: no agent can be started: '" + program + "' " +
         (program.find('/') == std::string::npos ? "is not found on the PATH" : "is no program") +
         "; steno doctor says more");
}

}  // namespace

int detach(const Config& config) {
  if (auto ok = base::make_own_folder(config.run_folder); !ok) {
    return print_failure("steno serve", ok.error());
  }
  const std::string path = server_log_of(config.run_folder);
  rotate_before_start(path);
  const base::UniqueFd log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.is_open()) return failed("cannot write the server's log " + path, errno);
  struct stat status {};
  const std::int64_t begin = ::fstat(log.get(), &status) == 0 ? status.st_size : 0;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failed("cannot make a pipe", errno);
  const base::UniqueFd told(ends[0]);
  base::UniqueFd telling(ends[1]);
  const auto server = start(log.get(), telling.get());
  if (!server) return print_failure("steno serve", server.error());
  telling.reset();
  if (is_ready(told.get())) {
    print("ready: server process " + std::to_string(*server) + " logs to " + path + "\n");
    warn_of_program(config);
    return kExitOk;
  }
  int ended = 0;
  while (::waitpid(*server, &ended, 0) < 0 && errno == EINTR) continue;
  show_log(path, begin);
  remark("steno serve: the server did not start; its log is " + path);
  const int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : kExitFailed;
  return code == kExitOk ? kExitFailed : code;
}

}  // namespace steno
