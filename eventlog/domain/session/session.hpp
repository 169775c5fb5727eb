// The aggregate of a session: its turns, its output, its leases, its end.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/session/commands.hpp"
#include "eventlog/domain/session/state.hpp"

namespace domain {

struct SessionStream {
  using State = SessionState;
  using Events = SessionEvents;
  using Command = SessionCommand;
  using ClientCommands = SessionClientCommands;
  using Reply = SessionReply;
  static constexpr std::string_view kPattern = "{agent}/session/{id}";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
};

}  // namespace domain
