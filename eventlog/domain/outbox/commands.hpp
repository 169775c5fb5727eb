// Requests about notifications.
#pragma once

#include "eventlog/base/sealed_variant.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/outbox/state.hpp"

namespace domain {

// ---- from clients ----

// Try it now. 0: each one that was given up.
struct RetryNotification {
  static constexpr std::string_view kType = "RetryNotification";
  Position notification;

  bool operator==(const RetryNotification&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("notification", &RetryNotification::notification);
  }
};

// Do not deliver it any more. 0: each one that was given up.
struct DropNotification {
  static constexpr std::string_view kType = "DropNotification";
  Position notification;

  bool operator==(const DropNotification&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("notification", &DropNotification::notification);
  }
};

// All sessions were killed without a word: tell the orchestrator so, in one line.
struct TellKilled {
  static constexpr std::string_view kType = "TellKilled";
  std::vector<std::string> aliases;  // of the sessions

  bool operator==(const TellKilled&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("aliases", &TellKilled::aliases);
  }
};

// ---- from the server itself ----

struct RecordDelivery {
  static constexpr std::string_view kType = "RecordDelivery";
  static constexpr CommandClass kClass = CommandClass::recorded;
  Position notification;
  std::string error;            // empty: it was delivered
  bool is_unreachable = false;  // the target takes no more, so it is not tried again
  bool is_suppressed = false;   // a hook blocked it

  bool operator==(const RecordDelivery&) const = default;
};

// Sent once the notification is too old to be of use.
struct ExpireNotification {
  static constexpr std::string_view kType = "ExpireNotification";
  static constexpr CommandClass kClass = CommandClass::recorded;
  Position notification;

  bool operator==(const ExpireNotification&) const = default;
};

using OutboxClientCommands = base::Types<RetryNotification, DropNotification, TellKilled>;
using OutboxCommands =
    base::Joined<OutboxClientCommands, base::Types<RecordDelivery, ExpireNotification>>;
using OutboxCommand = base::SealedVariant<OutboxCommands>;

struct OutboxReply {
  std::int64_t open = 0;  // notifications that are not delivered yet

  bool operator==(const OutboxReply&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("open", &OutboxReply::open);
  }
};

void reads(const OutboxCommand& command, const StreamRef& target, Reads& further);
Decided decide(const OutboxCommand& command, const States& states, const Context& context);
OutboxReply reply(const OutboxState& state, const OutboxCommand& command);

}  // namespace domain

extern template class base::SealedVariant<domain::OutboxCommands>;
