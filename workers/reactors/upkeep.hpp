// The reactor that carries out erasures. It hands pending ones to the UpkeepPort, and records with
// CompleteErasure that a stream's are done. It ends the content that was kept for long enough with
// ExpireContent. Backups, archives and anchors are made through the same port. It also has the
// private folders of sessions removed that are over: they have ended, and have no agent any more.
// It remembers only what the log says, so a server that was killed at any step goes on where it
// was.
#pragma once

#include <memory>
#include <variant>

#include "workers/reactors/reactor.hpp"
#include "workers/upkeep/upkeep_jobs.hpp"

namespace workers {

class Upkeep final : public Reactor {
 public:
  // All references outlive it. `found_folders` are the sessions whose private folders were there
  // before; none: sessions have no folders.
  Upkeep(CommandLoop& commands, std::unique_ptr<UpkeepPort> port, base::Random& random,
         const SessionsUnderWay& sessions,
         std::optional<std::vector<base::SessionId>> found_folders = {})
      : commands_(commands),
        port_(std::move(port)),
        sessions_(sessions),
        found_folders_(std::move(found_folders)),
        erasing_(commands, random, "eraser", [this](auto, const auto& done) { on_erased(done); }),
        recording_(commands, random, "server",
                   [this](domain::ServerCommand&& result, const auto& done) {
                     on_recorded(std::move(result), done);
                   }) {}

  // Work that earlier servers left undone is found once the projections have come to `started_at`.
  void begin(Position started_at, std::int64_t writer_term) override;
  void on_durable(const domain::RecordedEvent& event) override;
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
  std::vector<int> wake_fds() const override { return {port_->wake_fd()}; }
  void describe(StatusAnswer& status) const override;
  // Why the last job did not do all its work.
  const std::optional<base::Error>& fault() const { return fault_; }

 private:
  void take(UpkeepOutcome outcome);
  void on_erased(const CommandOutcome& outcome);
  void on_recorded(domain::ServerCommand&& result, const CommandOutcome& outcome);
  bool is_asking() const { return erasing_.unanswered() + recording_.unanswered() > 0; }

  CommandLoop& commands_;
  const std::unique_ptr<UpkeepPort> port_;
  const SessionsUnderWay& sessions_;
  const std::optional<std::vector<base::SessionId>> found_folders_;
  std::vector<base::SessionId> over_;  // sessions whose folders are to be removed
  Position at_least_;                  // the position that a job must know of
  base::Duration due_{0};              // boot time of the next job
  bool is_running_ = false;            // a job runs
  Outgoing<std::monostate> erasing_;
  Outgoing<domain::ServerCommand> recording_;  // results of orders
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
