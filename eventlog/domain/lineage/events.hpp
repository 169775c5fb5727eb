// Facts of a lineage, on the stream <agent>/lineage/<id of its first session>. It exists once a
// session of it was resumed or forked.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

// A session of the lineage has spent more. The first such event carries all that its session had
// spent until then.
struct LineageSpent {
  static constexpr std::string_view kType = "LineageSpent";
  SessionId session;
  NanoUsd cost;
  std::string agent_session;  // the agent's own session in which it was spent
  NanoUsd agent_total;        // that one's running total now; 0: not said, it grew by the cost

  bool operator==(const LineageSpent&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &LineageSpent::session);
    visit("cost", &LineageSpent::cost);
    visit("agent_session", &LineageSpent::agent_session);
    visit("agent_total", &LineageSpent::agent_total);
  }
};

using LineageEvents = base::Types<LineageSpent>;

}  // namespace domain
