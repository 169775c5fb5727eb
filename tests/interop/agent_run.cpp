// Connects the agent process to two pipes in a plain fork and exec; waits are bounded by 60 s each.
#include "tests/interop/agent_run.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace interop {
namespace {

constexpr base::Duration kPatience = std::chrono::seconds(60);

base::Time now() {
  return {base::SystemClock().boot().count()};
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& each : strings) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

void close_once(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

}  // namespace

AgentRun::AgentRun(support::DrivenEngine& engine, const std::string& folder) : engine_(engine) {
  signal(SIGPIPE, SIG_IGN);
  engines::LaunchPlan launch = engine.plan();
  const std::vector<char*> argv = pointers(launch.argv);
  const std::vector<char*> environment = pointers(launch.environment);
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe(in.data()) != 0 || pipe(out.data()) != 0) throw std::runtime_error("no pipes");
  pid_ = fork();
  if (pid_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[1]);
    close(out[0]);
    if (chdir(folder.c_str()) == 0) execve(argv[0], argv.data(), environment.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  stdin_ = in[1];
  stdout_ = out[0];
  write(engine_.start());
}

AgentRun::~AgentRun() {
  close_once(stdin_);
  close_once(stdout_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void AgentRun::write(base::ByteView bytes) {
  while (!bytes.empty() && stdin_ >= 0) {
    const ssize_t count = ::write(stdin_, bytes.data(), bytes.size());
    if (count <= 0) return;  // the agent is gone, and its stdout will show it
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::vector<domain::Report> AgentRun::read_until(IsLast is_last) {
  std::vector<domain::Report> all;
  const auto append = [&](std::vector<domain::Report> more) {
    all.insert(all.end(), more.begin(), more.end());
    return std::any_of(more.begin(), more.end(), is_last);
  };
  for (const base::Time end = now() + kPatience; now() < end;) {
    for (auto feed = unread_.find('\n'); feed != std::string::npos; feed = unread_.find('\n')) {
      const std::string line = unread_.substr(0, feed);
      unread_.erase(0, feed + 1);
      const bool is_done = append(engine_.on_line(line, now()));
      write(engine_.take_writes());
      if (is_done) return all;
    }
    if (is_ended_) break;
    if (!read_some(std::min(end, engine_.deadline().value_or(end)))) {
      if (append(engine_.on_time(now()))) return all;
    }
  }
  append(engine_.on_end());
  return all;
}

// False if nothing came in time.
bool AgentRun::read_some(base::Time until) {
  pollfd waiting{stdout_, POLLIN, 0};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now()).count();
  if (poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left, 0))) <= 0) return false;
  std::array<char, 65536> buffer{};
  const ssize_t count = read(stdout_, buffer.data(), buffer.size());
  if (count > 0) unread_.append(buffer.data(), static_cast<std::size_t>(count));
  if (count == 0) is_ended_ = true;
  return true;
}

int AgentRun::finish() {
  close_once(stdin_);
  read_until([](const domain::Report&) { return false; });
  if (!is_ended_) return -SIGKILL;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace interop
