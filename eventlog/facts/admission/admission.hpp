// Which sessions live, and what may name them.
#pragma once

#include "eventlog/facts/admission/state.hpp"
#include "eventlog/facts/aggregate.hpp"

namespace session {

struct AdmissionStream {
  using State = AdmissionState;
  using Events = AdmissionEvents;
  static constexpr std::string_view kPattern = "$admission";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::with_server;
};

}  // namespace session
