// The state of an agent's labels. It holds those in use, and no others.
#pragma once

#include <map>
#include <string>

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/labels/events.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

struct LabelsState {
  std::map<std::string, std::string> holders;  // keys of conversations, by label
  Position inconsistent;

  bool operator==(const LabelsState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("holders", &LabelsState::holders);
    visit("inconsistent", &LabelsState::inconsistent);
  }
};

void evolve(LabelsState& state, const Envelope& envelope, const Event& event);

}  // namespace domain
