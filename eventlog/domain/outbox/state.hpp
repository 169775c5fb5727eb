// The state of the outbox: the notifications that are not delivered yet.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/domain/accepted_commands.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/outbox/events.hpp"

namespace domain {

// Notifications that wait or were given up. A further one takes the place of the oldest.
constexpr std::size_t kNotificationsMax = 1'000;

struct OpenNotification {
  NotificationRequested requested;
  Time at;                    // log time of its request
  Time since;                 // log time from which its age counts
  std::int64_t attempts = 0;  // that have failed
  std::string error;          // of the last one
  Time next_at;               // log time of the next attempt
  bool is_given_up = false;

  bool operator==(const OpenNotification&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("requested", &OpenNotification::requested);
    visit("at", &OpenNotification::at);
    visit("since", &OpenNotification::since);
    visit("attempts", &OpenNotification::attempts);
    visit("error", &OpenNotification::error);
    visit("next_at", &OpenNotification::next_at);
    visit("given_up", &OpenNotification::is_given_up);
  }
};

// Returns the log time at which nobody has a use for it any more: a day after its request, or after
// somebody asked to try it again; if it was given up, a week.
Time expires_at(const OpenNotification& open);

struct OutboxState {
  std::map<Position, OpenNotification> open;
  // When it was lately told that a session waits, or is to be told, so that it is not told twice in
  // a moment.
  std::map<SessionId, Time> told_waiting;
  // When each place was lately told something that was counted; the latest is last (pacing.hpp).
  std::map<std::string, std::vector<Time>> told;
  std::int64_t delivered = 0;
  std::int64_t dropped = 0;
  std::vector<AcceptedCommand> requests;  // clients' commands with events here; newest last
  Position inconsistent;

  bool operator==(const OutboxState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("open", &OutboxState::open);
    visit("told_waiting", &OutboxState::told_waiting);
    visit("told", &OutboxState::told);
    visit("delivered", &OutboxState::delivered);
    visit("dropped", &OutboxState::dropped);
    visit("requests", &OutboxState::requests);
    visit("inconsistent", &OutboxState::inconsistent);
  }
};

void evolve(OutboxState& state, const Envelope& envelope, const Event& event);

// Returns the client's command that was accepted under that id; none if it is new, or long ago.
std::optional<AcceptedCommand> known_command(const OutboxState& state, const CommandId& command);

}  // namespace domain
