// The aggregate of live sessions and of the names that refer to them.
#pragma once

#include "eventlog/domain/admission/state.hpp"
#include "eventlog/domain/aggregate.hpp"

namespace domain {

struct AdmissionStream {
  using State = AdmissionState;
  using Events = AdmissionEvents;
  static constexpr std::string_view kPattern = "$admission";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::with_server;
  static constexpr std::string_view kNoun = "admission";
};

constexpr std::string_view kAdmissionStream = AdmissionStream::kPattern;

}  // namespace domain
