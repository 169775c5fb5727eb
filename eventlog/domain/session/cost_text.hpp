// A cost as people read it: with its doubt, so that a lower bound never looks
// like the cost.
#pragma once

#include <string>

#include "eventlog/domain/spending.hpp"

namespace domain {

// Returns "$0.0123"; "≥ $0.0123" for a lower bound; "unknown" if nothing is known of the cost.
std::string cost_text(NanoUsd cost, CostBasis basis);

}  // namespace domain
