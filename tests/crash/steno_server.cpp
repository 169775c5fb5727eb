// Finds the processes of the home by descent from the test's own process. A signal goes only
// to an unreaped child or to a process that is still the same, so that a reused pid is never hit.
#include "tests/crash/steno_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tests/crash/agent_owners.hpp"
#include "workers/processes/agent_process.hpp"
#include "workers/processes/pidfd.hpp"

namespace crash {
namespace {

using base::ErrorCode;
using base::failure;
using base::UniqueFd;

constexpr Duration kReadyMax = std::chrono::seconds(20);
constexpr Duration kDeathMax = std::chrono::seconds(10);
constexpr Duration kStopMax = std::chrono::seconds(30);
constexpr Duration kCommandMax = std::chrono::seconds(60);
constexpr int kClearingRoundsMax = 500;  // of 20 ms

const std::string kFlags[] = {
    "--max-sessions",       "50",
    "--kill-grace",         "300ms",
    "--worker-silence-max", "1s",
    "--scripted-program",   "/usr/bin/env STENO_SCRIPTED_CHILD=1 " STENO_SCRIPTED_AGENT,
    "--keeper-program",     STENO_KEEPER};

std::string seconds_text(Duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

// The time left of a limit, for poll().
class Countdown {
 public:
  explicit Countdown(Duration limit) : end_(clock_.boot() + limit) {}
  int left_ms() {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - clock_.boot());
    return static_cast<int>(std::max<std::int64_t>(0, left.count()));
  }
  bool is_over() { return left_ms() == 0; }

 private:
  base::SystemClock clock_;
  const Duration end_;
};

struct SpawnedOutput {
  pid_t pid = 0;
  UniqueFd output;
};

// Starts a program. With an empty `err_path` its stderr goes where stdout goes.
Result<SpawnedOutput> spawn(const std::vector<std::string>& argv, const std::string& err_path) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failure(ErrorCode::io, std::strerror(errno), "pipe");
  SpawnedOutput spawned;
  spawned.output = UniqueFd(ends[0]);
  const UniqueFd theirs(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), 1);
  if (err_path.empty()) {
    ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), 2);
  } else {
    ::posix_spawn_file_actions_addopen(&actions, 2, err_path.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                       0600);
  }
  std::vector<char*> pointers;
  for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const int error =
      ::posix_spawn(&spawned.pid, pointers[0], &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return failure(ErrorCode::io, std::strerror(error), argv[0]);
  return spawned;
}

// Appends the bytes that can be read now. False at the end.
bool read_some(const UniqueFd& fd, std::string& out) {
  std::array<char, 4096> chunk{};
  const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
  if (count > 0) out.append(chunk.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

StenoServer::StenoServer() {
  std::string pattern = (std::filesystem::temp_directory_path() / "steno-kill-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr || !processes::become_subreaper()) std::abort();
  home_ = pattern;
  watch_.emplace(home_);
  // Marks every process that is started from here on, and their children.
  ::setenv(std::string(kHomeMarker).c_str(), home_.c_str(), 1);
}

StenoServer::~StenoServer() {
  // Kills in rounds: a killed process can have started another one before.
  for (int round = 0; round < kClearingRoundsMax && !processes().empty(); ++round) {
    processes::kill_selected([this](const ProcessTable&) { return processes(); });
    ::poll(nullptr, 0, round == 0 ? 0 : 20);
    reap();
  }
  reap();
  watch_.reset();
  std::error_code ignored;
  if (!is_home_kept_) std::filesystem::remove_all(home_, ignored);
}

std::vector<std::string> StenoServer::words(const std::vector<std::string>& own) const {
  std::vector<std::string> all{STENO_PROGRAM, "--home", home_};
  all.insert(all.end(), std::begin(kFlags), std::end(kFlags));
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

Result<void> StenoServer::start() {
  auto spawned = spawn(words({"serve"}), home_ + "/serve.log");
  if (!spawned) return tl::unexpected(spawned.error());
  server_ = spawned->pid;
  ended_.erase(server_);  // an earlier child can have had this pid
  says_ = std::move(spawned->output);
  return wait_for_ready();
}

Result<void> StenoServer::wait_for_ready() {
  Countdown countdown(kReadyMax);
  std::string said;
  while (said.find("ready\n") == std::string::npos) {
    pollfd fd{says_.get(), POLLIN, 0};
    if (::poll(&fd, 1, countdown.left_ms()) <= 0 && countdown.is_over()) {
      return failure(ErrorCode::timeout,
                     "waited " + seconds_text(kReadyMax) + " for the server to be ready", home_);
    }
    if (fd.revents != 0 && !read_some(says_, said)) {
      return failure(ErrorCode::unreachable, "the server ended before it was ready",
                     home_ + "/serve.log");
    }
  }
  return {};
}

Result<int> StenoServer::stop() {
  const pid_t pid = std::exchange(server_, 0);
  if (pid == 0) return failure(ErrorCode::not_found, "no server runs", home_);
  ::kill(pid, SIGTERM);  // our unreaped child, so the pid is still its own
  server_ = pid;
  return exit_code();
}

Result<int> StenoServer::exit_code() {
  const pid_t pid = std::exchange(server_, 0);
  if (pid == 0) return failure(ErrorCode::not_found, "no server runs", home_);
  const auto status = wait_for_end(pid, kStopMax);
  if (!status) return status;
  return exit_code_of(*status);
}

Result<void> StenoServer::kill(const ProcessTable& victims) {
  std::vector<UniqueFd> handles;
  for (const ProcessRow& victim : victims) {
    handles.emplace_back(::pidfd_open(victim.pid, 0));
    if (victim.pid == server_) server_ = 0;
  }
  for (const ProcessRow& victim : victims) processes::signal_process(victim, SIGKILL);
  Countdown countdown(kDeathMax);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    if (!handles[i].is_open()) continue;  // it had ended before
    pollfd fd{handles[i].get(), POLLIN, 0};
    while (::poll(&fd, 1, countdown.left_ms()) < 0 && errno == EINTR) continue;
    if ((fd.revents & POLLIN) != 0) continue;
    return failure(ErrorCode::timeout,
                   "waited " + seconds_text(kDeathMax) + " for the end of pid " +
                       std::to_string(victims[i].pid) + " after SIGKILL",
                   victims[i].name);
  }
  reap();
  return {};
}

bool StenoServer::send(const ProcessRow& process, int signal) {
  return processes::signal_process(process, signal);
}

Result<Finished> StenoServer::run(const std::vector<std::string>& own) {
  auto spawned = spawn(words(own), "");
  if (!spawned) return tl::unexpected(spawned.error());
  ended_.erase(spawned->pid);
  Finished finished;
  Countdown countdown(kCommandMax);
  for (;;) {
    pollfd fd{spawned->output.get(), POLLIN, 0};
    if (::poll(&fd, 1, countdown.left_ms()) <= 0 && countdown.is_over()) {
      ::kill(spawned->pid, SIGKILL);
      return failure(ErrorCode::timeout, "waited " + seconds_text(kCommandMax) + " for steno",
                     own.empty() ? "" : own[0]);
    }
    if (fd.revents != 0 && !read_some(spawned->output, finished.output)) break;
  }
  const auto status = wait_for_end(spawned->pid, kDeathMax);
  if (!status) return tl::unexpected(status.error());
  finished.exit_code = exit_code_of(*status);
  return finished;
}

// Records every child that has ended, orphans included.
void StenoServer::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG | __WALL)) > 0;) ended_[pid] = status;
}

Result<int> StenoServer::wait_for_end(pid_t pid, Duration limit) {
  // The pid belongs to our child until reap() has seen its end.
  const UniqueFd handle(::pidfd_open(pid, 0));
  Countdown countdown(limit);
  for (;;) {
    reap();
    if (const auto found = ended_.find(pid); found != ended_.end()) {
      const int status = found->second;
      ended_.erase(found);
      return status;
    }
    if (countdown.is_over()) {
      return failure(ErrorCode::timeout, "waited " + seconds_text(limit) + " for the end of pid " +
                                             std::to_string(pid));
    }
    pollfd fd{handle.get(), POLLIN, 0};
    ::poll(&fd, 1, countdown.left_ms());
  }
}

ProcessTable StenoServer::processes() const {
  ProcessTable table = processes::descendants_of(::getpid(), processes::all_processes());
  std::erase_if(table, [this](const ProcessRow& row) {
    return row.has_ended() || (watch_ && row.pid == watch_->pid());
  });
  return table;
}

std::optional<ProcessRow> StenoServer::server() const {
  if (server_ == 0) return std::nullopt;
  const auto row = processes::read_process(server_);
  if (!row || row->has_ended()) return std::nullopt;
  return *row;
}

std::optional<ProcessRow> StenoServer::worker() const {
  for (const ProcessRow& row : processes()) {
    if (row.name == kServerName && row.pid != server_) return row;
  }
  return std::nullopt;
}

ProcessTable StenoServer::keepers() const {
  ProcessTable table = processes();
  std::erase_if(table, [](const ProcessRow& row) { return row.name != processes::kKeeperName; });
  return table;
}

}  // namespace crash
