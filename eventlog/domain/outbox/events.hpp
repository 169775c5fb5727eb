// Facts of the outbox, on the stream $outbox: notifications that somebody outside is to get, and
// what became of each. There is one outbox for the server.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

enum class NotificationKind : std::uint8_t {
  waiting,    // the session waits for a prompt
  stuck,      // its agent is silent, or repeats one tool call
  paused,     // prompts wait behind a failed turn, or the budget of a day
  budget,     // what it may use is spent: it has failed, or takes no prompt
  completed,  // it has ended so, and likewise
  failed,
  killed,
  long_run,     // it has lived for long
  cut_off,      // its agent died with a turn, which is not tried again
  turn_failed,  // a turn failed, and it waits for a prompt
  expired,      // a prompt was not started in time
  responded,    // somebody sent a prompt from elsewhere; its origin channel reads it
  all_killed,   // all sessions were killed at once, of which their channels hear nothing
  tasks_lost,   // tasks in the background ended with its agent
  asks,         // its agent waits for an answer
  unanswered,   // messages of a conversation were given to no agent
};

// The messages that a notification of the kind `unanswered` tells of.
struct UnansweredMessages {
  std::string conversation;  // its key
  std::int64_t messages = 0;
  std::string why;

  bool operator==(const UnansweredMessages&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &UnansweredMessages::conversation);
    visit("messages", &UnansweredMessages::messages);
    visit("why", &UnansweredMessages::why);
  }
};

// There is one for each (event, target). Its position is its id.
struct NotificationRequested {
  static constexpr std::string_view kType = "NotificationRequested";
  NotificationKind kind = NotificationKind::waiting;
  NotificationTarget target = NotificationTarget::channel;
  SessionId session;  // unset: of the kinds `all_killed` and `unanswered`
  std::string agent;
  std::string alias;           // of the session; of all_killed the list of them
  std::string channel;         // of the target `channel`; else the session's origin, if it has one
  bool is_foreground = false;  // the channel is shown the session's output as it comes
  StreamVersion through;       // version of the session's last event that it is about
  Time not_before;             // log time of the first attempt; 0: at once
  SessionId parent{};          // of the target `parent`
  // Tool calls that were denied for lack of a permission: of the session, if it has ended; else of
  // the turn that has.
  std::int64_t denied = 0;
  base::Sparse<std::vector<std::string>> denied_tools{};  // their names
  NanoUsd cost{};                                         // of the session so far
  base::Sparse<UnansweredMessages> unanswered{};
  base::Sparse<std::string> parent_key{};  // of a `parent` that is a conversation: its session key
  base::Sparse<std::string> deletes{};     // session key of the subagent that goes once it is told
  base::Sparse<std::string> name{};  // of the session, if it was given one since its beginning

  bool operator==(const NotificationRequested&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("kind", &NotificationRequested::kind);
    visit("target", &NotificationRequested::target);
    visit("session", &NotificationRequested::session);
    visit("agent", &NotificationRequested::agent);
    visit("alias", &NotificationRequested::alias);
    visit("channel", &NotificationRequested::channel);
    visit("foreground", &NotificationRequested::is_foreground);
    visit("through", &NotificationRequested::through);
    visit("not_before", &NotificationRequested::not_before);
    visit("parent", &NotificationRequested::parent);
    visit("denied", &NotificationRequested::denied);
    visit("denied_tools", &NotificationRequested::denied_tools);
    visit("cost", &NotificationRequested::cost);
    visit("unanswered", &NotificationRequested::unanswered);
    visit("parent_key", &NotificationRequested::parent_key);
    visit("deletes", &NotificationRequested::deletes);
    visit("name", &NotificationRequested::name);
  }
};

// The sink took it. A server that dies before this is recorded delivers it again, with the same id.
struct NotificationDelivered {
  static constexpr std::string_view kType = "NotificationDelivered";
  Position notification;
  bool is_counted = false;  // for pacing: its place is told so much in a minute

  bool operator==(const NotificationDelivered&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("notification", &NotificationDelivered::notification);
    visit("counted", &NotificationDelivered::is_counted);
  }
};

struct NotificationFailed {
  static constexpr std::string_view kType = "NotificationFailed";
  Position notification;
  std::int64_t attempts = 0;  // so far
  std::string error;          // never the text, nor anything that the sink's settings hold
  Time next_at;               // log time of the next attempt; 0: it is given up

  bool operator==(const NotificationFailed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("notification", &NotificationFailed::notification);
    visit("attempts", &NotificationFailed::attempts);
    visit("error", &NotificationFailed::error);
    visit("next_at", &NotificationFailed::next_at);
  }
};

enum class DropReason : std::uint8_t {
  user,         // somebody asked for it
  expired,      // it was too old to be of use
  overflow,     // too many waited
  superseded,   // before it was due a later one of the session came, or what it asks was answered
  unreachable,  // the target takes no more
  suppressed,   // a hook blocked it
};

struct NotificationDropped {
  static constexpr std::string_view kType = "NotificationDropped";
  Position notification;
  DropReason reason = DropReason::user;

  bool operator==(const NotificationDropped&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("notification", &NotificationDropped::notification);
    visit("reason", &NotificationDropped::reason);
  }
};

// Somebody asked to try one again that waits or was given up. Its attempts are counted anew.
struct NotificationRetried {
  static constexpr std::string_view kType = "NotificationRetried";
  Position notification;

  bool operator==(const NotificationRetried&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("notification", &NotificationRetried::notification);
  }
};

using OutboxEvents = base::Types<NotificationRequested, NotificationDelivered, NotificationFailed,
                                 NotificationDropped, NotificationRetried>;

}  // namespace domain

template <>
struct base::EnumNames<domain::NotificationKind> {
  static constexpr std::string_view kNames[] = {
      "waiting",    "stuck",      "paused",  "budget",      "completed", "failed",
      "killed",     "long_run",   "cut_off", "turn_failed", "expired",   "responded",
      "all_killed", "tasks_lost", "asks",    "unanswered"};
};
template <>
struct base::EnumNames<domain::DropReason> {
  static constexpr std::string_view kNames[] = {"user",       "expired",     "overflow",
                                                "superseded", "unreachable", "suppressed"};
};
