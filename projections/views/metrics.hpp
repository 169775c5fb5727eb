// Projection: the totals of an agent's sessions. Money is counted when a turn reports it; all else
// once, when its session is opened or closed.
#pragma once

#include "eventlog/domain/spending.hpp"
#include "projections/fold/projection.hpp"
#include "projections/views/session_names.hpp"

namespace projections {

using base::NanoUsd;
using base::Position;
using base::Time;

class Metrics final : public Projection {
 public:
  static constexpr std::string_view kName = "metrics";

  std::string_view name() const override { return kName; }
  std::int64_t schema() const override { return 1; }
  void apply(const domain::RecordedEvent& event, const std::optional<domain::StreamRef>& stream,
             Rows& rows) const override;
};

// The session that has cost most so far; of several with one cost, the first to reach it.
struct MostExpensive {
  SessionId session;  // unset: no session has cost anything
  std::string agent;
  std::string name;
  NanoUsd cost;
  domain::CostBasis basis = domain::CostBasis::totals;  // of the least certain part of that
  Position prompt;  // of its first TurnQueued, whose content is the first prompt

  bool operator==(const MostExpensive&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &MostExpensive::session);
    visit("agent", &MostExpensive::agent);
    visit("name", &MostExpensive::name);
    visit("cost", &MostExpensive::cost);
    visit("cost_basis", &MostExpensive::basis);
    visit("prompt", &MostExpensive::prompt);
  }
};

// One row an agent.
struct MetricsTotals {
  std::int64_t launched = 0;   // sessions ever opened
  std::int64_t completed = 0;  // sessions by terminal status
  std::int64_t failed = 0;
  std::int64_t killed = 0;
  NanoUsd cost;                                         // of all turns
  domain::CostBasis basis = domain::CostBasis::totals;  // of the least certain part of that
  domain::Usage usage;
  std::int64_t duration_ms = 0;  // from opening to end, of all sessions that have ended
  std::int64_t sessions_with_duration = 0;
  MostExpensive most_expensive;
  std::int64_t denied = 0;  // tool calls that were denied for lack of a permission

  std::int64_t live() const { return launched - completed - failed - killed; }

  bool operator==(const MetricsTotals&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("launched", &MetricsTotals::launched);
    visit("completed", &MetricsTotals::completed);
    visit("failed", &MetricsTotals::failed);
    visit("killed", &MetricsTotals::killed);
    visit("cost", &MetricsTotals::cost);
    visit("cost_basis", &MetricsTotals::basis);
    visit("usage", &MetricsTotals::usage);
    visit("duration_ms", &MetricsTotals::duration_ms);
    visit("sessions_with_duration", &MetricsTotals::sessions_with_duration);
    visit("most_expensive", &MetricsTotals::most_expensive);
    visit("denied", &MetricsTotals::denied);
  }
};

// The answer to the query.
struct MetricsReport {
  MetricsTotals totals;
  std::int64_t live = 0;
  std::map<std::string, NanoUsd> cost_per_day;             // "2026-11-20", UTC → cost
  std::map<std::string, domain::CostBasis> basis_per_day;  // likewise

  bool operator==(const MetricsReport&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("totals", &MetricsReport::totals);
    visit("live", &MetricsReport::live);
    visit("cost_per_day", &MetricsReport::cost_per_day);
    visit("basis_per_day", &MetricsReport::basis_per_day);
  }
};

// Returns the report of one agent, or of all together when `agent` is empty.
Result<MetricsReport> read_metrics(eventlog::KeyValueStore& store, std::string_view agent);

// Returns the day in UTC on which the moment falls, such as "2026-11-20".
std::string utc_date(Time time);

}  // namespace projections
