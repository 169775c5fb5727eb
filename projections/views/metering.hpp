// Reads from an event what it adds to the totals of an agent, beside the counts of its sessions.
#pragma once

#include "eventlog/domain/session/events.hpp"
#include "projections/views/metrics.hpp"

namespace projections {

struct Metered {
  domain::Usage usage;
  NanoUsd cost;
  domain::CostBasis basis = domain::CostBasis::totals;
  std::int64_t denied = 0;  // tool calls, for lack of a permission

  // True if the event says nothing of money.
  bool is_free() const {
    const bool is_nothing = cost.value == 0 && usage == domain::Usage{};
    return is_nothing && !domain::is_lower_bound(basis);
  }
};

inline Metered meter(const domain::TurnCost& turn) {
  const auto [usage, cost] = domain::unbooked(turn);
  return {usage, cost, turn.basis, 0};
}

inline Metered meter(const domain::SpendingRecorded& e) {
  return {domain::usage_of(e.spent), domain::cost_of(e.spent), e.basis, 0};
}
inline Metered meter(const domain::TurnFinished& e) {
  return meter(e.cost);
}
inline Metered meter(const domain::TurnFailed& e) {
  return meter(e.cost);
}
inline Metered meter(const domain::TurnInterrupted& e) {
  return meter(e.cost);
}
// A call that a person has denied lacks no permission, and names no tool.
inline Metered meter(const domain::ToolCallFinished& e) {
  return {{}, {}, domain::CostBasis::totals, e.is_denied && !e.tool.empty() ? 1 : 0};
}
inline Metered meter(const domain::ToolCallDenied&) {
  return {{}, {}, domain::CostBasis::totals, 1};
}
template <class Other>
Metered meter(const Other&) {
  return {};
}

// Counts a session that has ended, and has lived so long.
inline void count_end(MetricsTotals& totals, domain::SessionStatus status, base::Duration lived) {
  const bool is_killed = status == domain::SessionStatus::killed;
  std::int64_t& count = status == domain::SessionStatus::completed ? totals.completed
                        : is_killed                                ? totals.killed
                                                                   : totals.failed;
  domain::add_bounded(count, 1);
  // In milliseconds, since microseconds of many long sessions would outgrow the integers of the
  // wire.
  domain::add_bounded(totals.duration_ms, lived.count() / 1000);
  domain::add_bounded(totals.sessions_with_duration, 1);
}

}  // namespace projections
