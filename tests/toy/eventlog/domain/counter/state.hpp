// The state of a counter, folded from its events.
#pragma once

#include <optional>

#include "eventlog/domain/accepted_commands.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/counter/events.hpp"

namespace domain {

struct CounterState {
  std::int64_t value = 0;
  Position raised;  // position of its last CounterRaised
  AcceptedCommands commands;
  Position inconsistent;  // of the first impossible event; 0 = none

  bool operator==(const CounterState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("value", &CounterState::value);
    visit("raised", &CounterState::raised);
    visit("commands", &CounterState::commands);
    visit("inconsistent", &CounterState::inconsistent);
  }
};

void evolve(CounterState& state, const Envelope& envelope, const Event& event);
std::optional<AcceptedCommand> known_command(const CounterState& state, const CommandId& command);

}  // namespace domain
