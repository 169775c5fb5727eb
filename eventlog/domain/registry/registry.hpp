// The aggregate of the names of an agent's live sessions.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/registry/state.hpp"

namespace domain {

struct RegistryStream {
  using State = RegistryState;
  using Events = RegistryEvents;
  static constexpr std::string_view kPattern = "{agent}/registry";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
};

}  // namespace domain
