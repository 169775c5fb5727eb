// A counter: the smallest possible aggregate.
#pragma once

#include "eventlog/domain/counter/commands.hpp"

namespace domain {

struct CounterStream {
  using State = CounterState;
  using Events = CounterEvents;
  using Command = CounterCommand;
  using ClientCommands = CounterClientCommands;
  using Reply = CounterReply;
  static constexpr std::string_view kPattern = "{agent}/counter/{id}";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
};

}  // namespace domain
