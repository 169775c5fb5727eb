// The aggregate of what a lineage of sessions has spent, with those that they launched. A budget
// holds for all of them together.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/lineage/state.hpp"
#include "eventlog/domain/stream_ref.hpp"

namespace domain {

struct LineageStream {
  using State = LineageState;
  using Events = LineageEvents;
  static constexpr std::string_view kPattern = "{agent}/lineage/{id}";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
  static constexpr std::string_view kNoun = "lineage";
};

inline std::string lineage_stream(std::string_view agent, SessionId first) {
  return format_stream(LineageStream::kPattern, agent, first);
}

}  // namespace domain
