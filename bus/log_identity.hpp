// The history that a position belongs to, in the shape in which the event log writes it.
#pragma once

#include <array>

#include "eventlog/base/fields.hpp"

namespace bus {

// A new epoch begins with every creation, restore and salvage of a log. The fields are those of the
// event log's Epoch, which the bus must not include.
struct LogEpoch {
  std::int64_t counter = 0;
  std::array<char, 8> random{};

  bool operator==(const LogEpoch&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("counter", &LogEpoch::counter);
    visit("random", &LogEpoch::random);
  }
};

// Positions can be compared only within one log and one epoch of it.
struct LogIdentity {
  base::LogId log;
  LogEpoch epoch;

  bool operator==(const LogIdentity&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("log", &LogIdentity::log);
    visit("epoch", &LogIdentity::epoch);
  }
};

}  // namespace bus
