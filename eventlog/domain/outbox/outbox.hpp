// The aggregate of notifications.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/outbox/commands.hpp"
#include "eventlog/domain/outbox/state.hpp"

namespace domain {

struct OutboxStream {
  using State = OutboxState;
  using Events = OutboxEvents;
  using Command = OutboxCommand;
  using ClientCommands = OutboxClientCommands;
  using Reply = OutboxReply;
  static constexpr std::string_view kPattern = "$outbox";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::with_server;
  static constexpr std::string_view kNoun = "outbox";
};

constexpr std::string_view kOutboxStream = OutboxStream::kPattern;

}  // namespace domain
