// The aggregate of schedules.
#pragma once

#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/schedules/commands.hpp"
#include "eventlog/domain/schedules/state.hpp"

namespace domain {

struct SchedulesStream {
  using State = SchedulesState;
  using Events = SchedulesEvents;
  using Command = SchedulesCommand;
  using ClientCommands = SchedulesClientCommands;
  using Reply = SchedulesReply;
  static constexpr std::string_view kPattern = "$schedules";
  static constexpr std::int64_t kStateSchema = 6;
  static constexpr Residency kResidency = Residency::with_server;
  static constexpr std::string_view kNoun = "schedules";
};

constexpr std::string_view kSchedulesStream = SchedulesStream::kPattern;

}  // namespace domain
