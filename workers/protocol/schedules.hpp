// The answer about schedules.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bus/frames.hpp"
#include "eventlog/domain/schedules/state.hpp"

namespace workers {

constexpr std::string_view kVerbSchedules = "schedules";  // no body → SchedulesAnswer

struct SchedulesAnswer {
  std::vector<domain::Schedule> schedules;  // by name
  // By name: why one does not go on, as far as the server knows.
  std::map<std::string, std::string> faults;

  bool operator==(const SchedulesAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedules", &SchedulesAnswer::schedules);
    visit("faults", &SchedulesAnswer::faults);
  }
};

}  // namespace workers
