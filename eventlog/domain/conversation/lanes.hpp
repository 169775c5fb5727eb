// The aggregate of the lanes, in which conversations' runs wait for a place.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/conversation/lanes_state.hpp"

namespace domain {

struct LanesStream {
  using State = LanesState;
  using Events = LanesEvents;
  static constexpr std::string_view kPattern = "$lanes";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::with_server;
  static constexpr std::string_view kNoun = "lanes";
};

constexpr std::string_view kLanesStream = LanesStream::kPattern;

}  // namespace domain
