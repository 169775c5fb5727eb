// A session: its turns, its output, its leases, its end.
#pragma once

#include "eventlog/facts/aggregate.hpp"
#include "eventlog/facts/session/state.hpp"

namespace session {

struct SessionStream {
  using State = SessionState;
  using Events = SessionEvents;
  static constexpr std::string_view kPattern = "{agent}/session/{session}";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
};

}  // namespace session
