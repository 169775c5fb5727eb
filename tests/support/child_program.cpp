// Starts the program with posix_spawn and reads its pipes, or its terminal, only while the test
// waits.
#include "tests/support/child_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace support {
namespace {

constexpr std::chrono::milliseconds kAskedAgainAfter{100};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// Appends the bytes that can be read; closes the descriptor at the end.
void read_some(int& fd, std::string& text) {
  std::array<char, 65536> piece{};
  const ssize_t count = ::read(fd, piece.data(), piece.size());
  if (count > 0) {
    text.append(piece.data(), static_cast<std::size_t>(count));
  } else {
    close_fd(fd);
  }
}

}  // namespace

ChildProgram::ChildProgram(const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment, Stdin stdin_kind,
                           Stdout stdout_kind) {
  std::array<int, 2> in{}, out{}, err{};
  const bool has_output = stdout_kind == Stdout::terminal
                              ? ::openpty(&out[0], &out[1], nullptr, nullptr, nullptr) == 0
                              : ::pipe2(out.data(), O_CLOEXEC) == 0;
  if (!has_output || ::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) {
    return;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  const auto arguments = pointers(argv);
  const auto variables = pointers(environment);
  if (::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), variables.data()) !=
      0) {
    pid_ = -1;
  }
  posix_spawn_file_actions_destroy(&actions);
  for (const int fd : {in[0], out[1], err[1]}) ::close(fd);
  stdin_ = in[1];
  stdout_ = out[0];
  stderr_ = err[0];
  if (stdin_kind == Stdin::at_end) close_stdin();
}

ChildProgram::~ChildProgram() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (int* fd : {&stdin_, &stdout_, &stderr_}) close_fd(*fd);
}

void ChildProgram::write(const std::string& text) {
  // For small texts only: a pipe holds 64 KiB that nobody reads.
  if (::write(stdin_, text.data(), text.size()) < 0) close_fd(stdin_);
}

void ChildProgram::close_stdin() {
  close_fd(stdin_);
}

void ChildProgram::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

bool ChildProgram::wait_until(const std::function<bool(const ChildProgram&)>& is_enough) {
  const auto deadline = std::chrono::steady_clock::now() + kProgramDeadline;
  while (!is_enough(*this)) {
    const auto now = std::chrono::steady_clock::now();
    if (has_ended() || now >= deadline) return false;
    gather(std::min(deadline, now + kAskedAgainAfter));
  }
  return true;
}

int ChildProgram::wait() {
  const auto deadline = std::chrono::steady_clock::now() + kProgramDeadline;
  while (!has_ended() && std::chrono::steady_clock::now() < deadline) gather(deadline);
  if (pid_ <= 0 || !has_ended()) return -1;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Reads output until some has come or `until` is reached.
void ChildProgram::gather(std::chrono::steady_clock::time_point until) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  std::array<pollfd, 2> fds{pollfd{stdout_, POLLIN, 0}, pollfd{stderr_, POLLIN, 0}};
  ::poll(fds.data(), fds.size(), static_cast<int>(std::max<std::int64_t>(0, left.count())));
  if (fds[0].revents != 0) read_some(stdout_, out_);
  if (fds[1].revents != 0) read_some(stderr_, err_);
}

}  // namespace support
