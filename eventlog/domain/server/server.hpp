// The aggregate of the log itself: epochs, servers, copies, anchors.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/server/commands.hpp"
#include "eventlog/domain/server/state.hpp"

namespace domain {

struct ServerStream {
  using State = ServerState;
  using Events = ServerEvents;
  using Command = ServerCommand;
  using ClientCommands = ServerClientCommands;
  using Reply = ServerReply;
  static constexpr std::string_view kPattern = "$server";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::with_server;
  static constexpr std::string_view kNoun = "server";
};

constexpr std::string_view kServerStream = ServerStream::kPattern;

}  // namespace domain
