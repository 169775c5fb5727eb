// The answer about schedules.
#pragma once

#include <string>
#include <vector>

#include "bus/frames.hpp"
#include "eventlog/domain/schedules/state.hpp"

namespace workers {

constexpr std::string_view kVerbSchedules = "schedules";  // no body → SchedulesAnswer

struct SchedulesAnswer {
  std::vector<domain::Schedule> schedules;  // by name
  base::Time now;                           // log time

  bool operator==(const SchedulesAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedules", &SchedulesAnswer::schedules);
    visit("now", &SchedulesAnswer::now);
  }
};

}  // namespace workers
