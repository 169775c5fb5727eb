// Folds the facts of schedules.
#include "eventlog/domain/schedules/state.hpp"

#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

Schedule* find(SchedulesState& s, const std::string& name) {
  const auto found = s.schedules.find(name);
  return found == s.schedules.end() ? nullptr : &found->second;
}

void add_run(Schedule& schedule, ScheduleRun run) {
  if (schedule.runs.size() >= kRunsKept) schedule.runs.erase(schedule.runs.begin());
  schedule.runs.push_back(std::move(run));
}

// Returns the schedule's run under that id, if it is under way.
ScheduleRun* begun(SchedulesState& s, const std::string& name, const CommandId& run) {
  Schedule* schedule = find(s, name);
  if (schedule == nullptr) return nullptr;
  const auto is_it = [&](const ScheduleRun& one) {
    return one.outcome == RunOutcome::begun && one.run == run;
  };
  const auto found = std::find_if(schedule->runs.begin(), schedule->runs.end(), is_it);
  return found == schedule->runs.end() ? nullptr : &*found;
}

bool apply(SchedulesState& s, const Envelope& envelope, const ScheduleAdded& e) {
  Schedule schedule;
  schedule.spec = e.spec;
  schedule.added = schedule.planned = envelope.wall_time;
  schedule.next_due = e.next_due;
  return s.schedules.emplace(e.spec->name, std::move(schedule)).second;
}

bool apply(SchedulesState& s, const Envelope&, const ScheduleRemoved& e) {
  Schedule* schedule = find(s, e.schedule);
  if (schedule == nullptr || schedule->is_removed) return false;
  if (begun_run(*schedule) == nullptr) return s.schedules.erase(e.schedule) == 1;
  schedule->is_removed = true;
  schedule->next_due = {};
  return true;
}

bool apply(SchedulesState& s, const Envelope&, const SchedulePaused& e) {
  Schedule* schedule = find(s, e.schedule);
  if (schedule == nullptr || schedule->is_removed) return false;
  schedule->next_due = {};
  return schedule->is_paused = true;
}

bool apply(SchedulesState& s, const Envelope& envelope, const ScheduleUnpaused& e) {
  Schedule* schedule = find(s, e.schedule);
  if (schedule == nullptr || schedule->is_removed) return false;
  if (!schedule->is_paused) return true;  // asked for again
  schedule->is_paused = false;
  schedule->next_due = e.next_due;
  schedule->planned = envelope.wall_time;
  return true;
}

bool apply(SchedulesState& s, const Envelope& envelope, const ScheduleEdited& e) {
  Schedule* schedule = find(s, e.spec->name);
  if (schedule == nullptr || schedule->is_removed) return false;
  if (schedule->spec == *e.spec) return true;  // asked for again
  // A session of another agent, or of another kind of runs, is none of its own any more.
  if (schedule->spec.agent != e.spec->agent || schedule->spec.run != e.spec->run) {
    schedule->session = {};
  }
  schedule->spec = e.spec;
  schedule->next_due = e.next_due;
  schedule->planned = envelope.wall_time;
  if (e.is_retimed) schedule->added = envelope.wall_time;
  return true;
}

void settle(SchedulesState& s, const std::string& name) {
  if (s.schedules.at(name).is_removed) s.schedules.erase(name);
}

bool apply(SchedulesState& s, const Envelope& envelope, const ScheduleFired& e) {
  Schedule* schedule = find(s, e.schedule);
  if (schedule == nullptr || begun_run(*schedule) != nullptr) return false;
  add_run(
      *schedule,
      {e.run, e.session, e.opens, e.due, envelope.wall_time, e.moments, RunOutcome::begun, {}, {}});
  schedule->session = e.session;
  schedule->next_due = e.next_due;
  // One that somebody asked for leaves the plan as it was.
  if (e.due.us != 0) schedule->planned = envelope.wall_time;
  ++schedule->fired;
  return true;
}

bool apply(SchedulesState& s, const Envelope& envelope, const ScheduleSkipped& e) {
  Schedule* schedule = find(s, e.schedule);
  if (schedule == nullptr) return false;
  schedule->next_due = e.next_due;
  schedule->planned = envelope.wall_time;
  ScheduleRun skipped{
      {}, {}, false, e.due, envelope.wall_time, e.moments, RunOutcome::skipped, e.reason, {}};
  skipped.limit = e.limit;
  skipped.until = e.until;
  // A run under way stays the newest, or a long row of skipped ones would push it out.
  if (begun_run(*schedule) != nullptr) {
    ScheduleRun under_way = std::move(schedule->runs.back());
    schedule->runs.pop_back();
    add_run(*schedule, std::move(skipped));
    add_run(*schedule, std::move(under_way));
  } else {
    add_run(*schedule, std::move(skipped));
  }
  return true;
}

bool apply(SchedulesState& s, const Envelope&, const RunTaken& e) {
  ScheduleRun* run = begun(s, e.schedule, e.run);
  if (run == nullptr) return false;
  run->outcome = RunOutcome::taken;
  settle(s, e.schedule);
  return true;
}

bool apply(SchedulesState& s, const Envelope&, const RunRefused& e) {
  ScheduleRun* run = begun(s, e.schedule, e.run);
  if (run == nullptr) return false;
  run->outcome = RunOutcome::refused;
  run->error = e.error;
  settle(s, e.schedule);
  return true;
}

}  // namespace

const ScheduleRun* begun_run(const Schedule& schedule) {
  if (schedule.runs.empty()) return nullptr;
  const ScheduleRun& newest = schedule.runs.back();
  return newest.outcome == RunOutcome::begun ? &newest : nullptr;
}

bool is_planned_ahead(const Schedule& schedule, Time wall) {
  return schedule.next_due.us != 0 && schedule.planned > wall + kOnTime;
}

void evolve(SchedulesState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<SchedulesEvents>(state, envelope, event,
                                [&](const auto& fact) { return apply(state, envelope, fact); });
  if (is_remembered(envelope)) {
    // The last event of a command counts.
    const bool is_further =
        !state.requests.empty() && state.requests.back().command == envelope.command;
    if (is_further) state.requests.pop_back();
    remember(state.requests, envelope);
  }
}

std::optional<AcceptedCommand> known_command(const SchedulesState& state,
                                             const CommandId& command) {
  return find_request(state.requests, command);
}

}  // namespace domain
