// Has notifications delivered, one at a time for each place, and records what became of them. First
// attempts go before others, and a place that fails takes no room from the others. A notification
// for a session's parent becomes a prompt, whose id follows from the notification: the parent gets
// it once, however often it is sent.
// Those of one session reach a target in order: the next waits until the one before is delivered,
// given up or dropped.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <set>

#include "eventlog/domain/outbox/pacing.hpp"
#include "workers/notifications/notifier.hpp"
#include "workers/protocol/notifications.hpp"
#include "workers/reactors/reactor.hpp"

namespace workers {

class Notifications final : public Reactor {
 public:
  using CountRun = std::function<void(const domain::HookRun&)>;
  // Both references must outlive it. `count_run` is called for each hook that was asked about a
  // notification; unset: nobody counts them.
  Notifications(CommandLoop& commands, std::unique_ptr<Notifier> notifier, base::Random& random,
                CountRun count_run = {})
      : commands_(commands),
        notifier_(std::move(notifier)),
        count_run_(std::move(count_run)),
        outgoing_(commands, random, "notifier", [this](Asked&& asked, const auto& outcome) {
          on_answer(std::move(asked), outcome);
        }) {}

  void on_durable(const domain::RecordedEvent& event) override;
  std::string_view verb() const override { return kVerbNotifications; }
  base::RawValue answer(const DurableStates& durable) const override;
  bool do_work(const Cycle& cycle) override;
  base::Duration next_timer() const override { return next_timer_; }
  std::vector<int> wake_fds() const override { return notifier_->wake_fds(); }
  // The reactor that shows output delivers through the same one.
  Notifier& notifier() { return *notifier_; }

 private:
  struct Asked {
    domain::OutboxCommand command;
    std::string place{};  // of a delivery that this ends; empty: none
    // What the parent is to be sent first; the answer decides what `command` records.
    std::optional<std::string> prompt{};
  };

  // Returns the log time of the next attempt if its place has been told that much.
  base::Time due_at(const domain::OpenNotification& open, const domain::Told& told) const;
  bool take_outcomes();
  void forget_details(const std::string& stream);
  void record(Asked asked);
  void on_answer(Asked&& asked, const CommandOutcome& outcome);
  // True if another delivery of that kind can be begun.
  bool has_room(domain::NotificationTarget target, bool is_doubtful) const;
  // Sends the parent its prompt. Returns false if the notification is not open any more.
  bool send_prompt(Asked& asked);
  // Begins what is due, and finds out when the next one is.
  bool begin_due(const Cycle& cycle);

  CommandLoop& commands_;
  const std::unique_ptr<Notifier> notifier_;
  const CountRun count_run_;
  base::Time now_;
  // By place, until its outcome is recorded.
  struct UnderWay {
    Position notification;
    domain::NotificationTarget target = domain::NotificationTarget::channel;
    bool is_doubtful = false;  // the place has failed before
  };
  std::map<std::string, UnderWay> under_way_;
  // By place: log time before which none begins, because a session could not be read yet.
  std::map<std::string, base::Time> held_until_;
  std::map<Position, std::string> details_;  // what sinks said of failures
  // Of sessions with text erased since their last attempt was begun.
  std::set<Position> has_erased_;
  std::set<Position> expiring_;  // asked to expire, and not answered yet
  Outgoing<Asked> outgoing_;
  std::deque<Asked> refused_;  // to be asked again
  bool is_changed_ = true;     // since the last look
  base::Time look_at_;         // log time of the next look; 0: none
  base::Duration next_timer_ = base::Duration::max();
};

}  // namespace workers
