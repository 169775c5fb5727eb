// Children die with this process (PR_SET_PDEATHSIG) and are waited for with a pidfd.
#include "tools/benchmarks/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

#include "tools/benchmarks/failure.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

constexpr Nanoseconds kEndMax = std::chrono::seconds(10);
constexpr std::size_t kStderrShown = 2000;  // bytes of it in an error's text

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
};

// Runs in the child, so it only calls functions that are safe after a fork of a threaded process.
[[noreturn]] void become(char* const* argv, int in, int out, int err, bool is_terminal) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (is_terminal) {
    setsid();
    ioctl(in, TIOCSCTTY, 0);
  }
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_DFL);
  setpgid(0, 0);  // Ctrl-C reaches only us; we pass it on
  execvp(argv[0], argv);
  _exit(127);
}

// Valid while `argv` is.
std::vector<char*> pointers_to(const std::vector<std::string>& argv) {
  std::vector<char*> pointers;
  pointers.reserve(argv.size() + 1);
  for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string end_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  return all.size() <= kStderrShown ? all : all.substr(all.size() - kStderrShown);
}

}  // namespace

base::Result<std::unique_ptr<ChildProcess>> ChildProcess::start(
    const std::vector<std::string>& argv, const std::string& stderr_file) {
  Pipe in;
  Pipe out;
  const int err = open(stderr_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (err < 0 || !in.open() || !out.open()) return tl::unexpected(errno_error("pipe"));
  const std::vector<char*> pointers = pointers_to(argv);
  const int pid = fork();
  if (pid == 0) become(pointers.data(), in.read_end, out.write_end, err, false);
  close(in.read_end);
  close(out.write_end);
  close(err);
  if (pid < 0) return tl::unexpected(errno_error("fork"));
  return std::unique_ptr<ChildProcess>(
      new ChildProcess(pid, in.write_end, out.read_end, stderr_file));
}

base::Result<std::unique_ptr<ChildProcess>> ChildProcess::start_on_terminal(
    const std::vector<std::string>& argv) {
  const int out = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  char path[64];
  if (out < 0 || grantpt(out) != 0 || unlockpt(out) != 0 ||
      ptsname_r(out, path, sizeof path) != 0) {
    return tl::unexpected(errno_error("a terminal"));
  }
  const int terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
  const int in = fcntl(out, F_DUPFD_CLOEXEC, 0);
  if (terminal < 0 || in < 0) return tl::unexpected(errno_error("a terminal"));
  const winsize size{24, 80, 0, 0};
  ioctl(terminal, TIOCSWINSZ, &size);
  const std::vector<char*> pointers = pointers_to(argv);
  const int pid = fork();
  if (pid == 0) become(pointers.data(), terminal, terminal, terminal, true);
  close(terminal);
  if (pid < 0) return tl::unexpected(errno_error("fork"));
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, in, out, {}));
}

ChildProcess::~ChildProcess() {
  close(in_);
  close(out_);
  if (!is_gone_) terminate(kEndMax);
}

void ChildProcess::terminate(Nanoseconds grace) {
  ::kill(pid_, SIGTERM);
  if (!has_ended_within(grace))
    kill();
  else
    reap();
}

void ChildProcess::kill() {
  ::kill(pid_, SIGKILL);
  reap();
}

base::Result<ChildProcess::Ended> ChildProcess::wait(Nanoseconds timeout) {
  const Nanoseconds deadline = now() + timeout;
  while (!has_ended_within(std::chrono::milliseconds(100))) {
    if (is_stopped()) return stopped();
    if (now() > deadline) {
      return base::failure(base::ErrorCode::timeout, "a child process does not end");
    }
  }
  return reap();
}

ChildProcess::Ended ChildProcess::reap() {
  is_gone_ = true;
  int status = 0;
  rusage used{};
  while (wait4(pid_, &status, 0, &used) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), used.ru_maxrss};
}

bool ChildProcess::has_ended_within(Nanoseconds time) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (fd < 0) return true;
  const Nanoseconds deadline = now() + time;
  pollfd item{fd, POLLIN, 0};
  int ready = 0;
  do {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now());
    if (left.count() <= 0) break;
    ready = poll(&item, 1, static_cast<int>(left.count()));
  } while (ready < 0 && errno == EINTR);
  close(fd);
  return ready > 0;
}

base::Result<void> ChildProcess::read_more(Nanoseconds deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now());
  if (is_stopped()) return stopped();
  pollfd item{out_, POLLIN, 0};
  const int ready = left.count() <= 0 ? 0 : poll(&item, 1, static_cast<int>(left.count()));
  if (ready < 0 && errno == EINTR) return {};
  if (ready <= 0) return base::failure(base::ErrorCode::timeout, "a child process is silent");
  char bytes[65536];
  const ssize_t got = ::read(out_, bytes, sizeof bytes);
  if (got <= 0) {
    return base::failure(base::ErrorCode::unreachable,
                         "a child process ended: " + end_of_file(stderr_file_));
  }
  buffer_.append(bytes, static_cast<std::size_t>(got));
  return {};
}

base::Result<std::string> ChildProcess::read_line(Nanoseconds timeout) {
  const Nanoseconds deadline = now() + timeout;
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != base::Bytes::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (auto ok = read_more(deadline); !ok) return tl::unexpected(ok.error());
  }
}

base::Result<base::Bytes> ChildProcess::read_bytes(std::size_t count, Nanoseconds timeout) {
  const Nanoseconds deadline = now() + timeout;
  while (buffer_.size() < count) {
    if (auto ok = read_more(deadline); !ok) return tl::unexpected(ok.error());
  }
  base::Bytes bytes = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return bytes;
}

base::Result<void> ChildProcess::skip_to(const std::string& text, Nanoseconds timeout) {
  const Nanoseconds deadline = now() + timeout;
  for (;;) {
    const std::size_t begin = buffer_.find(text);
    if (begin != base::Bytes::npos) {
      buffer_.erase(0, begin + text.size());
      return {};
    }
    if (auto ok = read_more(deadline); !ok) return ok;
  }
}

base::Result<void> ChildProcess::skip_for(Nanoseconds time) {
  const Nanoseconds deadline = now() + time;
  for (;;) {
    buffer_.clear();
    const auto ok = read_more(deadline);
    if (now() >= deadline) return {};
    if (!ok) return ok;
  }
}

base::Result<void> ChildProcess::write(const std::string& text) {
  const ssize_t written = ::write(in_, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    return tl::unexpected(errno_error("a child process does not listen"));
  }
  return {};
}

std::int64_t memory_kib(int pid, const std::string& name) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(name + ":")) return std::atoll(line.c_str() + name.size() + 1);
  }
  return 0;
}

Nanoseconds cpu_time(int pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    return Nanoseconds{0};
  }
  return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

}  // namespace benchmarks
