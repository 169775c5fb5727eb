// The basis decides what stands before the figure.
#include "eventlog/domain/session/cost_text.hpp"

#include "eventlog/base/usd_text.hpp"

namespace domain {

std::string cost_text(NanoUsd cost, CostBasis basis) {
  if (basis == CostBasis::unknown && cost.value == 0) return "unknown";
  return (is_lower_bound(basis) ? "≥ $" : "$") + base::usd_text(cost);
}

}  // namespace domain
