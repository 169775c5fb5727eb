// The keeper's end is looked at before its messages, and the process's end is told only when
// keeper, output and strays are done or given up.
#include "workers/processes/kept_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>

#include "workers/processes/pidfd.hpp"
#include "workers/processes/system_failure.hpp"

namespace processes {
namespace {

// The size of one read: the capacity of a pipe.
constexpr std::size_t kReadBytes = 64 * 1024;
// The most that one pump reads, so that an agent that floods does not hold up the worker's other
// sessions.
constexpr std::size_t kPumpBytesMax = 4 * kReadBytes;
// The most that waits for take_events(); each frame counts this overhead beside its bytes.
constexpr std::size_t kEventsBytesMax = 1024 * 1024;
constexpr std::size_t kEventOverheadBytes = 64;
constexpr std::size_t kStderrTailBytes = 2048;
// How long, after the keeper's end, strays can take to go and stdout to end. Only a process that
// SIGKILL does not end, or that has passed its stdout to a stranger, uses it up.
constexpr base::Duration kEndWaitMax = std::chrono::seconds{2};
// From the order to kill to the keeper's end: the most that it needs (tools/keeper), and some
// reserve. A keeper that takes longer was stopped by somebody, and is killed itself.
constexpr std::chrono::milliseconds kKeeperEndMax{2000};
// The longest grace, here and in the keeper.
constexpr std::chrono::milliseconds kGraceMax = std::chrono::hours{24};

// write() to a pipe, without the SIGPIPE that a write to a closed stdin would raise.
ssize_t write_quietly(int fd, ByteView bytes) {
  sigset_t pipe_signal;
  sigset_t before;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t count = ::write(fd, bytes.data(), bytes.size());
  const int error = errno;
  if (count < 0 && error == EPIPE && ::sigismember(&before, SIGPIPE) == 0) {
    constexpr timespec kAtOnce{};
    ::sigtimedwait(&pipe_signal, nullptr, &kAtOnce);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return count;
}

}  // namespace

KeptProcess::KeptProcess(const KeeperPlan& plan, pid_t keeper_pid, KeptPipes pipes)
    : keeper_pid_(keeper_pid),
      stdin_buffer_max_(plan.stdin_buffer_max),
      has_terminal_(plan.agent.terminal.has_value()),
      pipes_(std::move(pipes)),
      framer_(make_framer(plan.agent.framing, plan.frame_bytes_max)),
      strays_(keeper_pid, plan.lock_file) {}

KeptProcess::~KeptProcess() {
  if (is_over_) return;
  if (!keeper_has_ended_) {
    kill();
    pollfd fd{pipes_.keeper.get(), POLLIN, 0};
    const int wait_ms = static_cast<int>(kKeeperEndMax.count());
    int ready = 0;
    while ((ready = ::poll(&fd, 1, wait_ms)) < 0 && errno == EINTR) continue;
    if (ready == 0) kill_keeper();
    ::waitpid(keeper_pid_, nullptr, 0);
    read_control();
  }
  if (!exited_ && !failed_) strays_.sweep();
}

void KeptProcess::pump(base::Duration now) {
  if (is_over_) return;
  // The keeper first: its messages from before its end are then certainly there to be read.
  watch_keeper(now);
  read_control();
  write_stdin();
  read_stdout();
  read_stderr();
  if (keeper_has_ended_) end(now);
}

std::vector<PollWish> KeptProcess::poll_wishes() const {
  std::vector<PollWish> wishes;
  if (is_over_) return wishes;
  if (pipes_.stdin_end.is_open() && !stdin_queue_.empty()) {
    wishes.push_back({pipes_.stdin_end.get(), false, true});
  }
  if (may_read_stdout()) wishes.push_back({pipes_.stdout_end.get(), true, false});
  if (pipes_.stderr_end.is_open()) wishes.push_back({pipes_.stderr_end.get(), true, false});
  if (pipes_.control.is_open()) wishes.push_back({pipes_.control.get(), true, false});
  if (!keeper_has_ended_) wishes.push_back({pipes_.keeper.get(), true, false});
  for (int handle : strays_.handles()) wishes.push_back({handle, true, false});
  return wishes;
}

std::vector<ProcessEvent> KeptProcess::take_events() {
  events_bytes_ = 0;
  return std::exchange(events_, {});
}

// ---- orders of the engine ----

Result<void> KeptProcess::write(ByteView bytes) {
  const auto closed = [] {
    return base::failure(base::ErrorCode::unreachable, "the agent's stdin is closed");
  };
  if (!pipes_.stdin_end.is_open() || stdin_is_ending_) return closed();
  if (bytes.size() > stdin_buffer_max_) {
    return base::failure(base::ErrorCode::too_large,
                         "at most " + std::to_string(stdin_buffer_max_) + " bytes at once");
  }
  if (stdin_queue_.size() - stdin_written_ + bytes.size() > stdin_buffer_max_) {
    return base::failure(base::ErrorCode::busy, "the agent does not read its stdin");
  }
  stdin_queue_.erase(0, std::exchange(stdin_written_, 0));
  stdin_queue_ += bytes;
  if (!bytes.empty()) is_line_begun_ = bytes.back() != '\n';
  // At once, so that what nobody can read any more is not believed to be told.
  write_stdin();
  if (!pipes_.stdin_end.is_open()) return closed();
  return {};
}

// A terminal's other side stays open, so its reader is told by the character that means the end;
// behind the start of a line the first one only hands on that start.
void KeptProcess::close_stdin() {
  constexpr char kEndOfFile = '\x04';
  if (has_terminal_ && !std::exchange(stdin_is_ending_, true)) {
    stdin_queue_.append(is_line_begun_ ? 2 : 1, kEndOfFile);
  }
  stdin_is_ending_ = true;
  write_stdin();
}

void KeptProcess::terminate(std::chrono::milliseconds grace) {
  grace = std::clamp(grace, std::chrono::milliseconds{0}, kGraceMax);
  command(TerminateAgent{grace.count()});
  allow_keeper(grace + kKeeperEndMax);
}

void KeptProcess::kill() {
  command(KillTree{});
  allow_keeper(kKeeperEndMax);
}

// The time runs from the next pump; the shortest one ever allowed counts.
void KeptProcess::allow_keeper(base::Duration time) {
  keeper_may_take_ = std::min(keeper_may_take_.value_or(time), time);
}

void KeptProcess::kill_keeper() {
  ::pidfd_send_signal(pipes_.keeper.get(), SIGKILL, nullptr, 0);
}

void KeptProcess::set_reading(bool is_reading) {
  is_reading_ = is_reading;
  give_up_at_.reset();
}

void KeptProcess::command(const KeeperCommand& wish) {
  if (!pipes_.control.is_open()) return;
  const std::string bytes = encode(wish);
  // The socket holds hundreds of commands, and only the first ones matter. A command without room
  // repeats one that a living keeper will read anyway.
  ::send(pipes_.control.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// ---- input and output ----

void KeptProcess::write_stdin() {
  while (pipes_.stdin_end.is_open() && stdin_written_ < stdin_queue_.size()) {
    const ByteView rest = ByteView(stdin_queue_).substr(stdin_written_);
    const ssize_t count = write_quietly(pipes_.stdin_end.get(), rest);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) {
      pipes_.stdin_end.reset();  // the agent does not read any more
    } else {
      stdin_written_ += static_cast<std::size_t>(count);
    }
  }
  stdin_queue_ = {};
  stdin_written_ = 0;
  if (stdin_is_ending_) pipes_.stdin_end.reset();
}

void KeptProcess::watch_keeper(base::Duration now) {
  if (keeper_has_ended_) return;
  if (::waitpid(keeper_pid_, nullptr, WNOHANG) == 0) {
    if (keeper_may_take_) {
      const base::Duration end_by = now + *std::exchange(keeper_may_take_, std::nullopt);
      keeper_ends_by_ = std::min(keeper_ends_by_.value_or(end_by), end_by);
    }
    if (keeper_ends_by_ && now >= *keeper_ends_by_) kill_keeper();
    return;
  }
  keeper_has_ended_ = true;
  give_up_at_ = now + kEndWaitMax;
}

void KeptProcess::read_control() {
  char bytes[kKeeperMessageBytesMax];
  while (pipes_.control.is_open()) {
    const ssize_t count = ::recv(pipes_.control.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    // A keeper that ended with commands unread resets the connection; its reports are still there.
    if (count < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      pipes_.control.reset();
      return;
    }
    const auto report = decode_report({bytes, static_cast<std::size_t>(count)});
    if (report) take_report(*report);
  }
}

void KeptProcess::take_report(const KeeperReport& report) {
  if (const auto* started = std::get_if<KeptStarted>(&report)) {
    is_started_ = true;
    events_.push_back(ProcessStarted{started->pid, started->start_ticks});
  } else if (const auto* failed = std::get_if<KeptNotStarted>(&report)) {
    failed_ = *failed;
  } else if (const auto* exited = std::get_if<KeptExited>(&report)) {
    exited_ = *exited;
  }
}

bool KeptProcess::may_read_stdout() const {
  // Not before the start is known, so that the start is told before the first frame.
  return pipes_.stdout_end.is_open() && is_reading_ && (is_started_ || keeper_has_ended_) &&
         events_bytes_ < kEventsBytesMax;
}

void KeptProcess::read_stdout() {
  char chunk[kReadBytes];
  std::vector<Frame> frames;
  for (std::size_t total = 0; total < kPumpBytesMax && may_read_stdout();) {
    const ssize_t count = ::read(pipes_.stdout_end.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    // A terminal that nobody has open any more gives EIO.
    if (count <= 0) {
      pipes_.stdout_end.reset();
      return;
    }
    give_up_at_.reset();
    total += static_cast<std::size_t>(count);
    framer_->feed({chunk, static_cast<std::size_t>(count)}, frames);
    add_frames(frames);
  }
}

void KeptProcess::add_frames(std::vector<Frame>& frames) {
  for (Frame& frame : frames) {
    events_bytes_ += frame.bytes.size() + kEventOverheadBytes;
    events_.push_back(std::move(frame));
  }
  frames.clear();
}

void KeptProcess::read_stderr() {
  char chunk[4096];
  for (std::size_t total = 0; total < kReadBytes && pipes_.stderr_end.is_open();) {
    const ssize_t count = ::read(pipes_.stderr_end.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      pipes_.stderr_end.reset();
      return;
    }
    total += static_cast<std::size_t>(count);
    stderr_tail_.append(chunk, static_cast<std::size_t>(count));
    if (stderr_tail_.size() > kStderrTailBytes) {
      stderr_tail_.erase(0, stderr_tail_.size() - kStderrTailBytes);
    }
  }
}

// ---- the end ----

void KeptProcess::end(base::Duration now) {
  if (!give_up_at_) give_up_at_ = now + kEndWaitMax;
  if (!exited_ && !failed_ && !strays_are_gone(now)) return;
  if (pipes_.stdout_end.is_open() && !may_read_stdout()) {
    give_up_at_.reset();  // a caller who stops the output also delays the end
    return;
  }
  const bool is_open = pipes_.stdout_end.is_open() || pipes_.stderr_end.is_open();
  if (is_open && now < *give_up_at_) return;

  std::vector<Frame> frames;
  framer_->finish(frames);
  add_frames(frames);
  if (!is_started_) {
    const auto failed =
        failed_.value_or(KeptNotStarted{StartFailure::keeper_lost, "the keeper ended at once"});
    events_.push_back(StartFailed{failed.reason, failed.text});
  } else {
    const auto exited = exited_.value_or(KeptExited{-1, SIGKILL, 0});
    events_.push_back(ProcessExited{exited.code, exited.signal, exited.left_behind, stderr_tail_});
  }
  is_over_ = true;
  pipes_ = {};
}

// Called only after a keeper that ended without a report: it was killed.
bool KeptProcess::strays_are_gone(base::Duration now) {
  if (strays_.sweep()) {
    exited_ = KeptExited{-1, SIGKILL, 0};
    return true;
  }
  if (now < *give_up_at_) return false;
  exited_ = KeptExited{-1, SIGKILL, static_cast<std::int64_t>(strays_.handles().size())};
  return true;
}

}  // namespace processes
