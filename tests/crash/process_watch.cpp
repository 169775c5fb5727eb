// Starts the watching program in a session of its own and talks to it over pipes, one letter for
// each request.
#include "tests/crash/process_watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace crash {
namespace {

constexpr int kAnswerMaxMs = 10'000;

}  // namespace

ProcessWatch::ProcessWatch(const std::string& home) {
  int orders[2];
  int answers[2];
  if (::pipe2(orders, O_CLOEXEC) != 0 || ::pipe2(answers, O_CLOEXEC) != 0) std::abort();
  const base::UniqueFd theirs_in(orders[0]);
  const base::UniqueFd theirs_out(answers[1]);
  orders_ = base::UniqueFd(orders[1]);
  answers_ = base::UniqueFd(answers[0]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, theirs_in.get(), 0);
  ::posix_spawn_file_actions_adddup2(&actions, theirs_out.get(), 1);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // A session of its own, so that a signal to the test's process group does not end this process.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string words[] = {STENO_PROCESS_WATCH, home};
  char* argv[] = {words[0].data(), words[1].data(), nullptr};
  const int failed = ::posix_spawn(&pid_, argv[0], &actions, &attributes, argv, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) std::abort();
}

ProcessWatch::~ProcessWatch() {
  orders_.reset();
  ::waitpid(pid_, nullptr, 0);
}

void ProcessWatch::excuse() {
  if (::write(orders_.get(), "e", 1) != 1) std::abort();
}

void ProcessWatch::pause() {
  if (::write(orders_.get(), "p", 1) != 1) std::abort();
}

Result<WatchReport> ProcessWatch::report() {
  if (::write(orders_.get(), "r", 1) != 1) std::abort();
  std::string said;
  while (!said.ends_with(".\n")) {
    char bytes[4096];
    pollfd fd{answers_.get(), POLLIN, 0};
    const ssize_t count =
        ::poll(&fd, 1, kAnswerMaxMs) == 1 ? ::read(answers_.get(), bytes, sizeof bytes) : -1;
    if (count <= 0) return base::failure(base::ErrorCode::timeout, "nobody watches the processes");
    said.append(bytes, static_cast<std::size_t>(count));
  }
  WatchReport report;
  std::istringstream in(said);
  in >> report.orphans >> report.doubles >> report.ownerless >> report.slowest_ms >>
      report.longest_gap_ms;
  const std::size_t rest = said.find('\n') + 1;
  report.text = said.substr(rest, said.size() - 2 - rest);
  return report;
}

}  // namespace crash
