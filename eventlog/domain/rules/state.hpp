// The state of rules.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "eventlog/domain/accepted_commands.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/rules/events.hpp"

namespace domain {

// So many rules there can be; each is looked at when an agent asks.
constexpr std::size_t kRulesMax = 1'000;
constexpr std::size_t kPatternBytesMax = 1'024;

struct RulesState {
  std::map<std::int64_t, Rule> rules;     // by number
  std::int64_t added = 0;                 // so far; the last one's number
  std::vector<AcceptedCommand> requests;  // clients' commands with events here; newest last
  Position inconsistent;                  // position of the first impossible event; 0: none

  bool operator==(const RulesState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("rules", &RulesState::rules);
    visit("added", &RulesState::added);
    visit("requests", &RulesState::requests);
    visit("inconsistent", &RulesState::inconsistent);
  }
};

void evolve(RulesState& state, const Envelope& envelope, const Event& event);
// Returns the client's command that was accepted under that id; none if it is new.
std::optional<AcceptedCommand> known_command(const RulesState& state, const CommandId& command);

}  // namespace domain
