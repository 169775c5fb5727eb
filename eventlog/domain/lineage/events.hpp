// Facts of a lineage, on the stream <agent>/lineage/<id of its first session>. It exists once a
// session of it was resumed or forked, or launched another one, whose spending counts to it, too.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/spending.hpp"

namespace domain {

// A session of the lineage, or one that counts to it, has spent more. The first such event carries
// all that its session had spent until then.
struct LineageSpent {
  static constexpr std::string_view kType = "LineageSpent";
  SessionId session;
  NanoUsd cost;
  std::string agent_session;  // the agent's own session in which it was spent
  NanoUsd agent_total;        // that one's running total now; 0: not said, it grew by the cost
  CostBasis basis = CostBasis::totals;  // of the session's cost
  // The lineage has begun that session of the agent, so its running total began at zero.
  bool has_begun_it = false;

  bool operator==(const LineageSpent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &LineageSpent::session);
    visit("cost", &LineageSpent::cost);
    visit("agent_session", &LineageSpent::agent_session);
    visit("agent_total", &LineageSpent::agent_total);
    visit("basis", &LineageSpent::basis);
    visit("begun_it", &LineageSpent::has_begun_it);
  }
};

// A session of the lineage, or one that counts to it, has got an agent process, for which what is
// left of the budget is reserved. Those that run at once share it.
struct LineageReserved {
  static constexpr std::string_view kType = "LineageReserved";
  SessionId session;
  NanoUsd budget;    // as the spec of the session has it, or of the one that launched it; 0: none
  NanoUsd reserved;  // so much of it was left

  bool operator==(const LineageReserved&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &LineageReserved::session);
    visit("budget", &LineageReserved::budget);
    visit("reserved", &LineageReserved::reserved);
  }
};

// That process has ended, and its worker can spend no more.
struct LineageFreed {
  static constexpr std::string_view kType = "LineageFreed";
  SessionId session;

  bool operator==(const LineageFreed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &LineageFreed::session);
  }
};

using LineageEvents = base::Types<LineageSpent, LineageReserved, LineageFreed>;

}  // namespace domain
