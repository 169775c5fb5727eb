// Has notifications delivered, one at a time for each place, and records what became of them. First
// attempts go before others, and a place that fails takes no room from the others. A notification
// for a session's parent becomes a prompt, whose id follows from the notification: the parent gets
// it once, however often it is sent.
// Those of one session reach a target in order: the next waits until the one before is delivered,
// given up or dropped.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <set>

#include "eventlog/domain/outbox/pacing.hpp"
#include "workers/notifications/notifier.hpp"
#include "workers/protocol/notifications.hpp"
#include "workers/reactors/reactor.hpp"

namespace workers {

class Notifications final : public Reactor {
 public:
  // All references must outlive it. `limits` name the targets that the notifier delivers to, and
  // how much one place is told.
  Notifications(CommandLoop& commands, Notifier& notifier, base::Random& random,
                const domain::Limits& limits)
      : commands_(commands),
        notifier_(notifier),
        random_(random),
        sinks_(limits.sinks),
        told_per_minute_(limits.told_per_minute) {}

  void on_durable(const domain::RecordedEvent& event) override;
  void on_answer(std::uint64_t number, const CommandAnswer& answer) override;
  std::string_view verb() const override { return kVerbNotifications; }
  base::RawValue answer(const DurableStates& durable) const override;
  bool do_work(const Cycle& cycle) override;
  base::Duration next_timer() const override { return next_timer_; }

 private:
  struct Asked {
    domain::OutboxCommand command;
    std::string place{};  // of a delivery that this ends; empty: none
    // Sent first; its answer decides what `command` records.
    std::optional<CommandMessage> prompt{};
  };

  // Returns the log time of the next attempt if its place has been told that much.
  base::Time due_at(const domain::OpenNotification& open, const domain::Told& told) const;
  bool take_outcomes();
  void forget_details(const std::string& stream);
  void record(Asked asked);
  // True if another delivery of that kind can be begun.
  bool has_room(domain::NotificationTarget target, bool is_doubtful) const;
  // Returns the prompt that the notification under way is for its parent.
  CommandMessage prompt_of(Position notification, std::string text) const;
  // Begins what is due, and finds out when the next one is.
  bool begin_due(const Cycle& cycle);

  CommandLoop& commands_;
  Notifier& notifier_;
  base::Random& random_;
  const std::array<bool, domain::kNotificationTargets> sinks_;
  const std::int64_t told_per_minute_;
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
  std::map<std::uint64_t, Asked> asked_;
  std::deque<Asked> refused_;  // to be asked again
  std::uint64_t next_ticket_ = 0;
  bool is_changed_ = true;  // since the last look
  base::Time look_at_;      // log time of the next look; 0: none
  base::Duration next_timer_ = base::Duration::max();
};

}  // namespace workers
