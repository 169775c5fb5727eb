// The aggregate of the names of an agent's live sessions.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/registry/state.hpp"
#include "eventlog/domain/stream_ref.hpp"

namespace domain {

struct RegistryStream {
  using State = RegistryState;
  using Events = RegistryEvents;
  static constexpr std::string_view kPattern = "{agent}/registry";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::on_demand;
  static constexpr std::string_view kNoun = "registry";
  static constexpr bool kIsReadAtStart = true;  // the next command may be for its agent
};

inline std::string registry_stream(std::string_view agent) {
  return format_stream(RegistryStream::kPattern, agent, {});
}

}  // namespace domain
