// The real AgentProcess: pipes or a terminal to a child process, and messages to and from the
// keeper above it.
#pragma once

#include <sys/types.h>

#include <optional>

#include "eventlog/base/unique_fd.hpp"
#include "workers/processes/agent_process.hpp"
#include "workers/processes/stray_tree.hpp"

namespace processes {

// The worker's ends, all non-blocking. With a terminal the first two are both its other side, and
// there is no stderr.
struct KeptPipes {
  base::UniqueFd stdin_end;
  base::UniqueFd stdout_end;
  base::UniqueFd stderr_end;
  base::UniqueFd control;
  base::UniqueFd keeper;  // a pidfd
};

class KeptProcess final : public AgentProcess {
 public:
  KeptProcess(const KeeperPlan& plan, pid_t keeper_pid, KeptPipes pipes);
  ~KeptProcess() override;

  Result<void> write(ByteView bytes) override;
  void close_stdin() override;
  void terminate(std::chrono::milliseconds grace) override;
  void kill() override;
  void set_reading(bool is_reading) override;
  std::vector<PollWish> poll_wishes() const override;
  void pump(base::Duration now) override;
  std::vector<ProcessEvent> take_events() override;

 private:
  void command(const KeeperCommand& wish);
  void allow_keeper(base::Duration time);
  void kill_keeper();
  void write_stdin();
  void watch_keeper(base::Duration now);
  void read_control();
  void take_report(const KeeperReport& report);
  void read_stdout();
  void read_stderr();
  void end(base::Duration now);
  bool strays_are_gone(base::Duration now);
  bool may_read_stdout() const;
  void add_frames(std::vector<Frame>& frames);

  const pid_t keeper_pid_;
  const std::size_t stdin_buffer_max_;
  const bool has_terminal_;
  KeptPipes pipes_;

  Bytes stdin_queue_;
  std::size_t stdin_written_ = 0;  // bytes at the front of the queue that were written
  bool stdin_is_ending_ = false;
  bool is_line_begun_ = false;  // what was queued last is no whole line

  const std::unique_ptr<Framer> framer_;
  bool is_reading_ = true;
  Bytes stderr_tail_;
  std::vector<ProcessEvent> events_;
  std::size_t events_bytes_ = 0;

  bool is_started_ = false;
  bool keeper_has_ended_ = false;
  std::optional<base::Duration> keeper_may_take_;  // asked for since the last pump
  std::optional<base::Duration> keeper_ends_by_;   // after this it is killed
  std::optional<KeptNotStarted> failed_;
  std::optional<KeptExited> exited_;
  StrayTree strays_;
  std::optional<base::Duration> give_up_at_;  // when the end is told even if something is missing
  bool is_over_ = false;
};

}  // namespace processes
