// The aggregate of what all sessions of an agent spend, in a day and over all days, for limits that
// hold for all of them together.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/budget/state.hpp"
#include "eventlog/domain/stream_ref.hpp"

namespace domain {

struct BudgetStream {
  using State = BudgetState;
  using Events = BudgetEvents;
  static constexpr std::string_view kPattern = "{agent}/budget";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
  static constexpr std::string_view kNoun = "budget";
};

inline std::string budget_stream(std::string_view agent) {
  return format_stream(BudgetStream::kPattern, agent, {});
}

}  // namespace domain
