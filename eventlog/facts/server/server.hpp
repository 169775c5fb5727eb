// The log itself: epochs, servers, copies.
#pragma once

#include "eventlog/facts/aggregate.hpp"
#include "eventlog/facts/server/state.hpp"

namespace session {

struct ServerStream {
  using State = ServerState;
  using Events = ServerEvents;
  static constexpr std::string_view kPattern = "$server";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::with_server;
};

}  // namespace session
