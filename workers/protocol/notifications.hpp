// The answer about notifications that are not delivered yet.
#pragma once

#include <string>
#include <vector>

#include "bus/frames.hpp"
#include "eventlog/domain/outbox/state.hpp"

namespace workers {

using base::Position;

constexpr std::string_view kVerbNotifications = "notifications";  // no body → NotificationsAnswer

struct NotificationRow {
  Position notification;  // of its request; its id
  domain::NotificationKind kind = domain::NotificationKind::waiting;
  domain::NotificationTarget target = domain::NotificationTarget::channel;
  base::SessionId session;
  std::string agent;
  std::string alias;
  std::string channel;
  base::Time at;
  std::int64_t attempts = 0;  // that have failed
  std::string error;          // of the last one
  base::Time next_at;         // log time of the next attempt; 0: it is given up
  bool has_sink = false;      // the server's settings name one for the target

  bool operator==(const NotificationRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("notification", &NotificationRow::notification);
    visit("kind", &NotificationRow::kind);
    visit("target", &NotificationRow::target);
    visit("session", &NotificationRow::session);
    visit("agent", &NotificationRow::agent);
    visit("alias", &NotificationRow::alias);
    visit("channel", &NotificationRow::channel);
    visit("at", &NotificationRow::at);
    visit("attempts", &NotificationRow::attempts);
    visit("error", &NotificationRow::error);
    visit("next_at", &NotificationRow::next_at);
    visit("has_sink", &NotificationRow::has_sink);
  }
};

struct NotificationsAnswer {
  std::vector<NotificationRow> notifications;  // the oldest first
  std::int64_t delivered = 0;                  // since the log began
  std::int64_t dropped = 0;                    // likewise

  bool operator==(const NotificationsAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("notifications", &NotificationsAnswer::notifications);
    visit("delivered", &NotificationsAnswer::delivered);
    visit("dropped", &NotificationsAnswer::dropped);
  }
};

}  // namespace workers
