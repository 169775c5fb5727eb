// The aggregate of what the sessions of all agents spend in a day, for a limit that holds for all
// of them together.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/total_budget/state.hpp"

namespace domain {

struct TotalBudgetStream {
  using State = TotalBudgetState;
  using Events = TotalBudgetEvents;
  static constexpr std::string_view kPattern = "$budget";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
  static constexpr std::string_view kNoun = "total budget";
};

constexpr std::string_view kTotalBudgetStream = TotalBudgetStream::kPattern;

}  // namespace domain
