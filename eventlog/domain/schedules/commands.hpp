// Requests about schedules.
#pragma once

#include "eventlog/base/sealed_variant.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/schedules/state.hpp"

namespace domain {

// ---- from clients ----

struct AddSchedule {
  static constexpr std::string_view kType = "AddSchedule";
  static constexpr bool kIsLarge = true;
  ScheduleSpec spec;

  bool operator==(const AddSchedule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("spec", &AddSchedule::spec);
  }
};

// It does not run again. A run that was begun goes on; one that waits for room is refused.
struct RemoveSchedule {
  static constexpr std::string_view kType = "RemoveSchedule";
  std::string schedule;

  bool operator==(const RemoveSchedule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedule", &RemoveSchedule::schedule);
  }
};

// Run it now, whatever its last run does. When it is due next stays the same.
struct RunSchedule {
  static constexpr std::string_view kType = "RunSchedule";
  std::string schedule;
  CommandId run;  // a fresh id

  bool operator==(const RunSchedule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedule", &RunSchedule::schedule);
    visit("run", &RunSchedule::run);
  }
};

// Keep it, but do not run it until it is unpaused.
struct PauseSchedule {
  static constexpr std::string_view kType = "PauseSchedule";
  std::string schedule;
  bool is_over = false;  // unpause it: it is due again from now on

  bool operator==(const PauseSchedule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedule", &PauseSchedule::schedule);
    visit("over", &PauseSchedule::is_over);
  }
};

// Change the one of that name. Its past stays, and so does the session of a heartbeat.
struct EditSchedule {
  static constexpr std::string_view kType = "EditSchedule";
  static constexpr bool kIsLarge = true;
  ScheduleSpec spec;

  bool operator==(const EditSchedule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("spec", &EditSchedule::spec);
  }
};

// ---- from the server itself ----

// Sent once the schedule is due.
struct FireSchedule {
  static constexpr std::string_view kType = "FireSchedule";
  static constexpr CommandClass kClass = CommandClass::recorded;
  std::string schedule;
  Time due;
  CommandId run;  // a fresh id

  bool operator==(const FireSchedule&) const = default;
};

struct RecordRun {
  static constexpr std::string_view kType = "RecordRun";
  static constexpr CommandClass kClass = CommandClass::recorded;
  std::string schedule;
  CommandId run;
  std::string error;  // empty: it was taken

  bool operator==(const RecordRun&) const = default;
};

using SchedulesClientCommands =
    base::Types<AddSchedule, RemoveSchedule, RunSchedule, PauseSchedule, EditSchedule>;
using SchedulesCommands =
    base::Joined<SchedulesClientCommands, base::Types<FireSchedule, RecordRun>>;
using SchedulesCommand = base::SealedVariant<SchedulesCommands>;

struct SchedulesReply {
  std::int64_t schedules = 0;  // that there are
  Time next_due;               // of the command's; 0: it is gone, or never due again
  SessionId session;           // that its last run opened or prompted; unset: none

  bool operator==(const SchedulesReply&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedules", &SchedulesReply::schedules);
    visit("next_due", &SchedulesReply::next_due);
    visit("session", &SchedulesReply::session);
  }
};

void reads(const SchedulesCommand& command, const StreamRef& target, Reads& further);
void reads_further(const SchedulesCommand& command, const StreamRef& target, const States& states,
                   Reads& further);
Decided decide(const SchedulesCommand& command, const States& states, const Context& context);
SchedulesReply reply(const SchedulesState& state, const SchedulesCommand& command);

}  // namespace domain

extern template class base::SealedVariant<domain::SchedulesCommands>;
