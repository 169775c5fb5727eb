// Facts of schedules, on the stream $schedules: what is to run and when, and what became of each
// time. There is one such stream for the server. Times are what the clock shows: log time does not
// follow a clock that is set.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/schedules/timing.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

// The fate of times that passed while no server ran.
enum class MissedRuns : std::uint8_t {
  once,  // all of them together run once, as soon as a server runs
  skip,  // they do not run
};

// A schedule's runs are all of one kind.
enum class RunKind : std::uint8_t {
  session,    // a session of its own
  message,    // a prompt for the session `to`
  heartbeat,  // a prompt for the schedule's one session, which is opened when there is none
};

struct ScheduleSpec {
  std::string name;  // as of agents: 1 to 64 of a-z 0-9 . _ -
  ScheduleKind kind = ScheduleKind::cron;
  std::string when;  // as parse_timing takes it
  std::string zone;  // such as "Europe/Berlin"; steps need none
  MissedRuns missed = MissedRuns::once;
  bool overlaps = false;  // it also runs while the session of the last run works
  RunKind run = RunKind::session;
  bool uses_subagent = false;  // of heartbeats: the session's agent leaves each to a subagent
  std::string agent;
  SessionId to;         // of the kind `message`
  SessionSpec session;  // of sessions that it opens
  std::string prompt;   // a fact: it stays on the record, and no erasure reaches it

  bool operator==(const ScheduleSpec&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &ScheduleSpec::name);
    visit("kind", &ScheduleSpec::kind);
    visit("when", &ScheduleSpec::when);
    visit("zone", &ScheduleSpec::zone);
    visit("missed", &ScheduleSpec::missed);
    visit("overlap", &ScheduleSpec::overlaps);
    visit("run", &ScheduleSpec::run);
    visit("subagent", &ScheduleSpec::uses_subagent);
    visit("agent", &ScheduleSpec::agent);
    visit("to", &ScheduleSpec::to);
    visit("session", &ScheduleSpec::session);
    visit("prompt", &ScheduleSpec::prompt);
  }
};

struct ScheduleAdded {
  static constexpr std::string_view kType = "ScheduleAdded";
  base::Sparse<ScheduleSpec> spec;
  Time next_due;

  bool operator==(const ScheduleAdded&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("spec", &ScheduleAdded::spec);
    visit("next_due", &ScheduleAdded::next_due);
  }
};

struct ScheduleRemoved {
  static constexpr std::string_view kType = "ScheduleRemoved";
  std::string schedule;

  bool operator==(const ScheduleRemoved&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedule", &ScheduleRemoved::schedule);
  }
};

// A run is begun: its session is opened, or its prompt is sent. RunTaken or RunRefused follows.
struct ScheduleFired {
  static constexpr std::string_view kType = "ScheduleFired";
  std::string schedule;
  CommandId run;      // id of the command that opens the session, or sends the prompt
  SessionId session;  // that the run opens, or prompts
  bool opens = false;
  Time due;                  // 0: somebody asked for it
  std::int64_t moments = 0;  // times that passed and run together; 0: somebody asked for it
  Time next_due;             // 0: never again

  bool operator==(const ScheduleFired&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedule", &ScheduleFired::schedule);
    visit("run", &ScheduleFired::run);
    visit("session", &ScheduleFired::session);
    visit("opens", &ScheduleFired::opens);
    visit("due", &ScheduleFired::due);
    visit("moments", &ScheduleFired::moments);
    visit("next_due", &ScheduleFired::next_due);
  }
};

enum class SkipReason : std::uint8_t {
  missed,   // no server ran
  overlap,  // the session of the last run still worked
  waiting,  // the last run had not begun yet
  clock,    // the clock was set back: no time was skipped, it is due earlier than it was to be
  limit,    // the session of the last run waits behind a limit, and goes on by itself
};

struct ScheduleSkipped {
  static constexpr std::string_view kType = "ScheduleSkipped";
  std::string schedule;
  SkipReason reason = SkipReason::missed;
  Time due;
  std::int64_t moments = 0;           // times that were skipped together
  Time next_due;                      // 0: never again
  EndReason limit = EndReason::none;  // of the reason `limit`: which one
  Time until{};                       // likewise, when it ends; 0: that is not known

  bool operator==(const ScheduleSkipped&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedule", &ScheduleSkipped::schedule);
    visit("reason", &ScheduleSkipped::reason);
    visit("due", &ScheduleSkipped::due);
    visit("moments", &ScheduleSkipped::moments);
    visit("next_due", &ScheduleSkipped::next_due);
    visit("limit", &ScheduleSkipped::limit);
    visit("until", &ScheduleSkipped::until);
  }
};

// The session was opened, or has the prompt.
struct RunTaken {
  static constexpr std::string_view kType = "RunTaken";
  std::string schedule;
  CommandId run;

  bool operator==(const RunTaken&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedule", &RunTaken::schedule);
    visit("run", &RunTaken::run);
  }
};

struct RunRefused {
  static constexpr std::string_view kType = "RunRefused";
  std::string schedule;
  CommandId run;
  std::string error;  // cut to kRefusalBytesMax

  bool operator==(const RunRefused&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedule", &RunRefused::schedule);
    visit("run", &RunRefused::run);
    visit("error", &RunRefused::error);
  }
};

// It is not due until it is unpaused.
struct SchedulePaused {
  static constexpr std::string_view kType = "SchedulePaused";
  std::string schedule;

  bool operator==(const SchedulePaused&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedule", &SchedulePaused::schedule);
  }
};

// Times that passed while it was paused do not run.
struct ScheduleUnpaused {
  static constexpr std::string_view kType = "ScheduleUnpaused";
  std::string schedule;
  Time next_due;  // 0: never again

  bool operator==(const ScheduleUnpaused&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("schedule", &ScheduleUnpaused::schedule);
    visit("next_due", &ScheduleUnpaused::next_due);
  }
};

// It has the name of one that there is, whose past stays.
struct ScheduleEdited {
  static constexpr std::string_view kType = "ScheduleEdited";
  base::Sparse<ScheduleSpec> spec;
  Time next_due;            // 0: never again, or it is paused
  bool is_retimed = false;  // its steps count from now on

  bool operator==(const ScheduleEdited&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("spec", &ScheduleEdited::spec);
    visit("next_due", &ScheduleEdited::next_due);
    visit("retimed", &ScheduleEdited::is_retimed);
  }
};

using SchedulesEvents =
    base::Types<ScheduleAdded, ScheduleRemoved, ScheduleFired, ScheduleSkipped, RunTaken,
                RunRefused, SchedulePaused, ScheduleUnpaused, ScheduleEdited>;

}  // namespace domain

template <>
struct base::EnumNames<domain::MissedRuns> {
  static constexpr std::string_view kNames[] = {"once", "skip"};
};
template <>
struct base::EnumNames<domain::RunKind> {
  static constexpr std::string_view kNames[] = {"session", "message", "heartbeat"};
};
template <>
struct base::EnumNames<domain::SkipReason> {
  static constexpr std::string_view kNames[] = {"missed", "overlap", "waiting", "clock", "limit"};
};
