// Guesses what can go wrong if a tool call is approved. It is there to make people look twice, not
// to decide: a call without a known risk is not safe for that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workers/text/ask_text.hpp"

namespace workers {

enum class RiskLevel { low, medium, high, critical };

struct AskRisk {
  RiskLevel level = RiskLevel::medium;
  std::vector<std::string> reasons{};  // in words; empty: nothing particular is known

  bool operator==(const AskRisk&) const = default;
};

AskRisk risk_of(std::string_view tool, const AskText& text);
std::string_view risk_name(RiskLevel level);

}  // namespace workers
