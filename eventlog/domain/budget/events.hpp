// Facts of what an agent's sessions spend, and of limits of their use, on the stream
// <agent>/budget. It begins once a server has a limit for an agent, or a provider has told one.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

// A session of the agent has spent more.
struct AgentSpent {
  static constexpr std::string_view kType = "AgentSpent";
  SessionId session;
  NanoUsd cost;
  NanoUsd total{};  // of the agent, with it, over all days; 0: an earlier release did not count it

  bool operator==(const AgentSpent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &AgentSpent::session);
    visit("cost", &AgentSpent::cost);
    visit("total", &AgentSpent::total);
  }
};

// The provider takes no more from the engine's agents until then; or a person says to try again.
struct UsageLimitSet {
  static constexpr std::string_view kType = "UsageLimitSet";
  SessionId session;
  std::string engine;
  Time until{};  // wall time; 0: there is none any more

  bool operator==(const UsageLimitSet&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &UsageLimitSet::session);
    visit("engine", &UsageLimitSet::engine);
    visit("until", &UsageLimitSet::until);
  }
};

using BudgetEvents = base::Types<AgentSpent, UsageLimitSet>;

}  // namespace domain
