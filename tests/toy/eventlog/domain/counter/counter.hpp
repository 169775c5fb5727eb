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
  static constexpr std::string_view kNoun = "counter";

  // Until it is reset, after which nobody asks for it. Its last raise can be asked for meanwhile.
  static bool is_under_way(const State& state) { return state.value > 0; }
  static Position needs_events_from(const State& state) { return state.raised; }
};

}  // namespace domain
