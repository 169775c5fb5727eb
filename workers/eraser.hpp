// The reactor that makes erasures come true: it hands pending ones to the ErasurePort, records with
// CompleteErasure that a session's are done, and asks with ExpireContent for what was kept for long
// enough. Backups and anchors are made through the same port. It remembers nothing that the log
// does not say, so a server that was killed at any step goes on where it was.
#pragma once

#include "workers/command_worker.hpp"
#include "workers/erasure_work.hpp"

namespace workers {

class Eraser {
 public:
  // All references outlive it.
  Eraser(CommandWorker& commands, ErasurePort& port, base::Random& random)
      : commands_(commands), port_(port), random_(random) {}

  // What earlier servers left undone is known once the projections are at `tail`.
  void begin(Position tail) { at_least_ = tail; }
  void on_durable(const domain::RecordedEvent& event);
  void on_answer(const CommandOutcome& outcome);
  // Obeyed as soon as nothing else is being done; its outcome is taken below.
  void order(Order order) { orders_.push_back(std::move(order)); }
  std::optional<BackupResult> take_backup() { return std::exchange(backup_, std::nullopt); }
  std::optional<AnchorResult> take_anchor() { return std::exchange(anchor_, std::nullopt); }
  std::optional<ArchiveResult> take_archive() { return std::exchange(archive_, std::nullopt); }
  std::optional<TrimResult> take_trim() { return std::exchange(trim_, std::nullopt); }
  // What could not be done is tried again now.
  void hurry() { due_ = boot_; }

  // `now` is log time. True when anything was done.
  bool do_work(base::Time now, base::Duration boot);
  // Boot time when do_work() is due although nothing arrives.
  base::Duration next_timer() const;
  // Why the last job did not do all that it was to do.
  const std::optional<base::Error>& fault() const { return fault_; }

 private:
  void take(ErasureOutcome outcome);
  void submit(const std::string& agent, base::SessionId session, domain::ServerCommand command);

  CommandWorker& commands_;
  ErasurePort& port_;
  base::Random& random_;
  Position at_least_;        // that a job must know of
  base::Duration due_{0};    // boot time of the next job
  bool is_running_ = false;  // a job
  std::size_t asked_ = 0;    // commands without an answer
  std::optional<base::Error> fault_;
  std::deque<Order> orders_;
  std::optional<BackupResult> backup_;  // done, and not taken yet
  std::optional<AnchorResult> anchor_;
  std::optional<ArchiveResult> archive_;
  std::optional<TrimResult> trim_;
  base::Time now_;
  base::Duration boot_{0};
};

}  // namespace workers
