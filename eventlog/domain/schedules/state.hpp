// The state of the schedules: when each is due next, and what became of its last runs.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "eventlog/domain/accepted_commands.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/schedules/events.hpp"

namespace domain {

constexpr std::size_t kSchedulesMax = 1'000;
// A longer task belongs into a file that the agent reads.
constexpr std::size_t kSchedulePromptBytesMax = 8'192;
// A schedule keeps so many of its last runs; the log has all.
constexpr std::size_t kRunsKept = 20;
// Times of a cron line that are counted when many have passed at once: some ms of work. One more
// says that there were more.
constexpr std::int64_t kMomentsMax = 2'000;

enum class RunOutcome : std::uint8_t { begun, taken, refused, skipped };

// A time at which a schedule ran or was skipped.
struct ScheduleRun {
  CommandId run;  // unset: it was skipped
  SessionId session;
  bool opens = false;
  Time due;                  // 0: somebody asked for it
  Time at;                   // when that was decided, by the clock
  std::int64_t moments = 0;  // times that ran or were skipped together
  RunOutcome outcome = RunOutcome::begun;
  std::optional<SkipReason> skipped;  // of one that was skipped
  std::string error;                  // of one that was refused
  EndReason limit = EndReason::none;  // as ScheduleSkipped has it, and so has the next one
  Time until{};

  bool operator==(const ScheduleRun&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("run", &ScheduleRun::run);
    visit("session", &ScheduleRun::session);
    visit("opens", &ScheduleRun::opens);
    visit("due", &ScheduleRun::due);
    visit("at", &ScheduleRun::at);
    visit("moments", &ScheduleRun::moments);
    visit("outcome", &ScheduleRun::outcome);
    visit("skipped", &ScheduleRun::skipped);
    visit("error", &ScheduleRun::error);
    visit("limit", &ScheduleRun::limit);
    visit("until", &ScheduleRun::until);
  }
};

struct Schedule {
  ScheduleSpec spec;
  Time added;                     // by the clock, as all times here
  Time next_due;                  // 0: never again
  SessionId session;              // the one that its last run opened or prompted; unset: none
  std::vector<ScheduleRun> runs;  // the newest last
  std::int64_t fired = 0;         // so often it has run
  bool is_removed = false;        // it goes once its last run has an outcome
  Time planned;                   // when next_due was decided
  bool is_paused = false;         // then next_due is 0

  bool operator==(const Schedule&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("spec", &Schedule::spec);
    visit("added", &Schedule::added);
    visit("next_due", &Schedule::next_due);
    visit("session", &Schedule::session);
    visit("runs", &Schedule::runs);
    visit("fired", &Schedule::fired);
    visit("removed", &Schedule::is_removed);
    visit("planned", &Schedule::planned);
    visit("paused", &Schedule::is_paused);
  }
};

// Returns the run that was begun and neither taken nor refused yet; null: there is none.
const ScheduleRun* begun_run(const Schedule& schedule);

// Whoever is later than this has missed its time.
constexpr base::Duration kOnTime = std::chrono::minutes(1);

// True if it was planned by a clock that has been set back since, which is to be planned anew.
bool is_planned_ahead(const Schedule& schedule, Time wall);

struct SchedulesState {
  std::map<std::string, Schedule> schedules;  // by name
  std::vector<AcceptedCommand> requests;      // clients' commands with events here; newest last
  Position inconsistent;

  bool operator==(const SchedulesState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedules", &SchedulesState::schedules);
    visit("requests", &SchedulesState::requests);
    visit("inconsistent", &SchedulesState::inconsistent);
  }
};

void evolve(SchedulesState& state, const Envelope& envelope, const Event& event);

// Returns the client's command that was accepted under that id; none if it is new, or long ago.
std::optional<AcceptedCommand> known_command(const SchedulesState& state, const CommandId& command);

}  // namespace domain

template <>
struct base::EnumNames<domain::RunOutcome> {
  static constexpr std::string_view kNames[] = {"begun", "taken", "refused", "skipped"};
};
