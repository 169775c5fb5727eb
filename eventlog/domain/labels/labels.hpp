// The aggregate of the labels of an agent's conversations.
#pragma once

#include "eventlog/domain/labels/state.hpp"
#include "eventlog/domain/stream_ref.hpp"

namespace domain {

struct LabelsStream {
  using State = LabelsState;
  using Events = LabelsEvents;
  static constexpr std::string_view kPattern = "{agent}/labels";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
  static constexpr std::string_view kNoun = "labels";
};

inline std::string labels_stream(std::string_view agent) {
  return format_stream(LabelsStream::kPattern, agent, {});
}

}  // namespace domain
