// The names of an agent's live sessions.
#pragma once

#include "eventlog/facts/aggregate.hpp"
#include "eventlog/facts/registry/state.hpp"

namespace session {

struct RegistryStream {
  using State = RegistryState;
  using Events = RegistryEvents;
  static constexpr std::string_view kPattern = "{agent}/registry";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
};

}  // namespace session
