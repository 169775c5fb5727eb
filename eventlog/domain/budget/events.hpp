// Facts of what an agent's sessions spend, on the stream <agent>/budget. It begins once a server
// has a limit for an agent.
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

using BudgetEvents = base::Types<AgentSpent>;

}  // namespace domain
