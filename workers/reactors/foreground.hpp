// Shows the output of sessions to the channels that have them in the foreground, from where each
// was. A text waits for half a second, so that what comes together goes together; the end of a turn
// waits for nothing. The record has what each channel was shown, in the session's own stream.
#pragma once

#include <map>

#include "workers/notifications/notifier.hpp"
#include "workers/reactors/reactor.hpp"

namespace workers {

class Foreground final : public Reactor {
 public:
  // All references must outlive it. If the limits name no sink for channels, it does nothing.
  Foreground(CommandLoop& commands, Notifier& notifier, base::Random& random)
      : commands_(commands),
        notifier_(notifier),
        outgoing_(commands, random, "foreground", [this](Asked&& asked, const auto& outcome) {
          if (!outcome) outgoing_.keep(std::move(asked), outcome.error(), now_);
        }) {}

  void restore(const projections::StreamUnderWay& stream) override;
  void on_durable(const domain::RecordedEvent& event) override;
  bool do_work(const Cycle& cycle) override;
  base::Duration next_timer() const override { return next_timer_; }

 private:
  struct Place {
    std::string agent;
    base::SessionId session;
    std::string channel;
    auto operator<=>(const Place&) const = default;
  };
  struct Shown {
    Position seen;                   // what the channel was shown
    std::int64_t further_bytes = 0;  // and of the text behind it
    Position recorded;               // of the last event that it may have to be shown
    base::Time due;                  // log time at which it is; 0: there is nothing
    bool is_under_way = false;
    bool has_left = false;   // the foreground, while a text was under way
    bool has_ended = false;  // the session has
    int failures = 0;        // in a row
  };
  struct Asked {
    Place place;
    domain::SessionCommand command;
  };

  void begin_showing(const Place& place, domain::Viewer viewer, base::Time due, bool has_ended);
  void leave(const Place& place);
  void take(const ShowOutcome& outcome);
  void submit(Asked asked);

  CommandLoop& commands_;
  Notifier& notifier_;
  std::map<Place, Shown> places_;  // in the foreground
  base::Time now_;
  Outgoing<Asked> outgoing_;
  base::Duration next_timer_ = base::Duration::max();
};

}  // namespace workers
