// Facts of what the sessions of all agents spend, on the stream $budget. It begins once a server
// has a limit for all agents.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

// A session of any agent has spent more.
struct TotalSpent {
  static constexpr std::string_view kType = "TotalSpent";
  SessionId session;
  NanoUsd cost;

  bool operator==(const TotalSpent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &TotalSpent::session);
    visit("cost", &TotalSpent::cost);
  }
};

using TotalBudgetEvents = base::Types<TotalSpent>;

}  // namespace domain
