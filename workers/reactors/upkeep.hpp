// The reactor that carries out erasures. It hands pending ones to the UpkeepPort, and records with
// CompleteErasure that a session's are done. It ends the content that was kept for long enough with
// ExpireContent. Backups, archives and anchors are made through the same port. It also has the
// private folders of sessions removed that are over: they have ended, and have no agent any more.
// It remembers only what the log says, so a server that was killed at any step goes on where it
// was.
#pragma once

#include "workers/reactors/reactor.hpp"
#include "workers/reactors/retry.hpp"
#include "workers/reactors/sessions_under_way.hpp"
#include "workers/upkeep/upkeep_jobs.hpp"

namespace workers {

class Upkeep final : public Reactor {
 public:
  // All references outlive it. `sessions` null: sessions have no folders.
  Upkeep(CommandLoop& commands, UpkeepPort& port, base::Random& random,
         const SessionsUnderWay* sessions = nullptr)
      : commands_(commands), port_(port), random_(random), sessions_(sessions) {}

  // Call it once, before the first work, with the sessions whose folders were found. Those of
  // sessions under way stay.
  void take_folders(const std::vector<base::SessionId>& found);

  // Work that earlier servers left undone is found once the projections have come to `started_at`.
  void begin(Position started_at, std::int64_t) override { at_least_ = started_at; }
  void on_durable(const domain::RecordedEvent& event) override;
  void on_answer(std::uint64_t number, const CommandAnswer& answer) override;
  // Queues an order, which is obeyed as soon as no other job runs. Its outcome is taken below.
  void order(Order order) { orders_.push_back(std::move(order)); }
  std::optional<BackupResult> take_backup() { return std::exchange(backup_, std::nullopt); }
  std::optional<AnchorResult> take_anchor() { return std::exchange(anchor_, std::nullopt); }
  std::optional<ArchiveResult> take_archive() { return std::exchange(archive_, std::nullopt); }
  std::optional<TrimResult> take_trim() { return std::exchange(trim_, std::nullopt); }
  // Records the result of an order; no job begins before that is decided.
  void record(domain::ServerCommand command);
  // Tries again now what could not be done.
  void hurry() { due_ = boot_; }

  bool do_work(const Cycle& cycle) override;
  base::Duration next_timer() const override;
  void describe(StatusAnswer& status) const override;
  // Why the last job did not do all its work.
  const std::optional<base::Error>& fault() const { return fault_; }

 private:
  void take(UpkeepOutcome outcome);
  void submit(CommandMessage message);
  void submit(const std::string& agent, base::SessionId session, domain::SessionCommand command);

  CommandLoop& commands_;
  UpkeepPort& port_;
  base::Random& random_;
  const SessionsUnderWay* sessions_;
  std::vector<base::SessionId> over_;  // sessions whose folders are to be removed
  Position at_least_;                  // the position that a job must know of
  base::Duration due_{0};              // boot time of the next job
  bool is_running_ = false;            // a job runs
  std::size_t asked_ = 0;              // commands without an answer
  std::uint64_t next_ticket_ = 0;
  std::map<std::uint64_t, domain::ServerCommand> recording_;  // results, by their tickets
  Retry<domain::ServerCommand> unrecorded_;                   // results, not decided yet
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
