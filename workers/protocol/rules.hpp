// The answer about rules.
#pragma once

#include <vector>

#include "bus/frames.hpp"
#include "eventlog/domain/rules/state.hpp"

namespace workers {

constexpr std::string_view kVerbRules = "rules";  // no body → RulesAnswer

struct RulesAnswer {
  std::vector<domain::Rule> rules;  // by number

  bool operator==(const RulesAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("rules", &RulesAnswer::rules);
  }
};

}  // namespace workers
