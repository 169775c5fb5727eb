// Decides what runs when. Each time that passes has one outcome on the record: it runs, or it is
// skipped for a reason.
#include <algorithm>

#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/outbox/route.hpp"
#include "eventlog/domain/schedules/schedules.hpp"
#include "eventlog/domain/session/session.hpp"
#include "eventlog/domain/spec_check.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

Rejection no_schedule(const SchedulesState& s, const std::string& name) {
  std::string text = "there is no schedule '" + cut_fact(name) + "'";
  text += s.schedules.empty() ? "; steno schedule add makes one" : "; steno schedule ls lists them";
  return {RejectionCode::not_found, std::move(text)};
}

const Schedule* find(const SchedulesState& s, const std::string& name) {
  const auto found = s.schedules.find(name);
  return found == s.schedules.end() ? nullptr : &found->second;
}

// Returns null also for one that was removed and whose last run has no outcome yet.
const Schedule* find_present(const SchedulesState& s, const std::string& name) {
  const Schedule* schedule = find(s, name);
  return schedule == nullptr || schedule->is_removed ? nullptr : schedule;
}

std::optional<Rejection> invalid(std::string text) {
  return Rejection{RejectionCode::invalid, std::move(text)};
}

// Steps need no zone.
bool knows(const TimeZones* zones, const ScheduleSpec& spec) {
  return zones != nullptr && (spec.kind == ScheduleKind::every || zones->has(spec.zone));
}

// True if the settings name a session to go on with.
bool resumes(const SessionSpec& spec) {
  return spec.is_fork || !spec.resume_agent_session->empty() || !spec.resume_message->empty();
}

std::optional<Rejection> check_subagent(const ScheduleSpec& spec) {
  if (!spec.uses_subagent) return std::nullopt;
  if (spec.run != RunKind::heartbeat) return invalid("only heartbeats are left to a subagent");
  if (spec.session.background != BackgroundTasks::forbid) return std::nullopt;
  return invalid(
      "the session's agent can start no subagent, since its setting background is forbid; accepted "
      "are allow and inline");
}

// The settings matter only to runs that open sessions.
std::optional<Rejection> check_run(const ScheduleSpec& spec, const SessionState* to,
                                   const Context& context) {
  if (auto bad = check_subagent(spec)) return bad;
  if (spec.run != RunKind::message) {
    if (spec.to.is_set()) {
      return invalid("only a schedule that sends messages has a session to send them to");
    }
    if (resumes(spec.session)) return invalid("a schedule's sessions go on with no other one");
    if (auto bad = check_length("channel", spec.session.channel->size(), kFactBytesMax)) return bad;
    if (auto fault = channel_fault(*spec.session.channel)) return invalid(*std::move(fault));
    if (auto bad = check_spec(spec.session, context.engines)) return bad;
    return check_hooks(spec.session, spec.agent, context.hook_gaps);
  }
  if (!spec.to.is_set()) {
    return invalid("a schedule that sends messages needs a session to send them to");
  }
  if (!(spec.session == SessionSpec{})) {
    return invalid("a schedule that sends messages opens no session, and has no settings for one");
  }
  if (to == nullptr || to->status == SessionStatus::none) {
    return Rejection{RejectionCode::not_found,
                     "there is no session " + spec.to.text() + " of agent " + spec.agent};
  }
  if (!is_live(to->status) || !to->spec.is_multi_turn || to->is_close_requested) {
    return Rejection{RejectionCode::not_accepting,
                     "session " + to->alias + " takes no prompts; name a live multi-turn one"};
  }
  return std::nullopt;
}

std::optional<Rejection> check_settings(const ScheduleSpec& spec, const SessionState* to,
                                        const Context& context) {
  if (!is_agent_name(spec.name)) {
    return invalid("a schedule's name is 1 to 64 of a-z 0-9 . _ -");
  }
  if (!is_agent_name(spec.agent)) return invalid("an agent's name is 1 to 64 of a-z 0-9 . _ -");
  if (auto bad = check_length("when", spec.when.size(), kFactBytesMax)) return bad;
  if (auto bad = check_length("zone", spec.zone.size(), kFactBytesMax)) return bad;
  if (auto fault = prompt_fault(spec.prompt)) return invalid(*std::move(fault));
  if (spec.prompt.size() > kSchedulePromptBytesMax) {
    return Rejection{RejectionCode::limit_reached,
                     "the prompt has " + std::to_string(spec.prompt.size()) + " bytes, of " +
                         std::to_string(kSchedulePromptBytesMax) +
                         " at most; write the task into a file, and tell the agent to read it"};
  }
  if (!knows(context.zones, spec)) {
    return invalid("there is no time zone '" + spec.zone +
                   "'; accepted are names such as Europe/Berlin, America/New_York and UTC");
  }
  return check_run(spec, to, context);
}

std::optional<Rejection> check_schedule(const SchedulesState& s, const ScheduleSpec& spec,
                                        const SessionState* to, const Context& context) {
  if (auto bad = check_settings(spec, to, context)) return bad;
  const Schedule* same = find(s, spec.name);
  if (same != nullptr && same->is_removed) {
    return Rejection{
        RejectionCode::in_progress,
        "'" + spec.name +
            "' is removed, and its last run has no outcome yet; try again in a moment"};
  }
  if (same != nullptr) {
    return Rejection{RejectionCode::already_exists,
                     "there is a schedule '" + spec.name +
                         "' already; give another name, or remove that one first"};
  }
  return std::nullopt;
}

// Makes room for one schedule more: the one that is over and was added first goes.
std::optional<Rejection> make_room(const SchedulesState& s, Decision& decision) {
  if (s.schedules.size() < kSchedulesMax) return std::nullopt;
  const Schedule* oldest = nullptr;
  for (const auto& [name, schedule] : s.schedules) {
    const bool is_over =
        schedule.next_due.us == 0 && !schedule.is_paused && begun_run(schedule) == nullptr;
    if (is_over && (oldest == nullptr || schedule.added < oldest->added)) oldest = &schedule;
  }
  if (oldest == nullptr) {
    return Rejection{RejectionCode::limit_reached,
                     "there are " + std::to_string(s.schedules.size()) +
                         " schedules, as many as can be; remove one first"};
  }
  decision.emit<SchedulesStream>(ScheduleRemoved{oldest->spec.name});
  return std::nullopt;
}

// Returns when a schedule that was added or retimed then is due next.
base::Result<Time, Rejection> due_next(const ScheduleSpec& spec, Time added,
                                       const Context& context) {
  const auto timing = parse_timing(spec.kind, spec.when);
  if (!timing) return tl::unexpected(Rejection{RejectionCode::invalid, timing.error()});
  const auto due = next_due(*timing, spec.zone, *context.zones, context.wall, added);
  if (due) return *due;
  return tl::unexpected(
      Rejection{RejectionCode::invalid,
                "'" + spec.when + "' is never due: " +
                    (spec.kind == ScheduleKind::at ? "it has passed, in the zone " + spec.zone
                                                   : "no date is like that")});
}

// Returns the settings as they are kept.
ScheduleSpec settled(ScheduleSpec spec) {
  if (spec.run != RunKind::heartbeat) return spec;
  // Nothing but its end keeps it from the next run.
  SessionSpec& session = spec.session;
  session.is_multi_turn = session.continues_after_failure = true;
  if (session.idle_timeout.count() == 0) session.idle_timeout = base::Duration{-1};
  return spec;
}

Decided decide_one(const SchedulesState& s, const States& states, const Context& context,
                   const AddSchedule& c) {
  const auto* to = states.find<SessionStream>(session_stream(c.spec.agent, c.spec.to));
  if (auto bad = check_schedule(s, c.spec, to, context)) return tl::unexpected(*bad);
  const auto due = due_next(c.spec, context.wall, context);
  if (!due) return tl::unexpected(due.error());
  Decision decision;
  if (auto bad = make_room(s, decision)) return tl::unexpected(*bad);
  decision.emit<SchedulesStream>(ScheduleAdded{settled(c.spec), *due});
  return decision;
}

Decided decide_one(const SchedulesState& s, const States& states, const Context& context,
                   const EditSchedule& c) {
  const auto* to = states.find<SessionStream>(session_stream(c.spec.agent, c.spec.to));
  if (auto bad = check_settings(c.spec, to, context)) return tl::unexpected(*bad);
  const Schedule* schedule = find_present(s, c.spec.name);
  if (schedule == nullptr) return tl::unexpected(no_schedule(s, c.spec.name));
  ScheduleEdited edited{settled(c.spec), {}};
  const ScheduleSpec& before = schedule->spec;
  // One that is over stays so, unless its time is changed.
  edited.is_retimed = before.kind != c.spec.kind || before.when != c.spec.when;
  const bool is_over = schedule->next_due.us == 0 && !edited.is_retimed;
  if (!schedule->is_paused && !is_over) {
    const auto due = due_next(c.spec, edited.is_retimed ? context.wall : schedule->added, context);
    if (!due) return tl::unexpected(due.error());
    edited.next_due = *due;
  }
  Decision decision;
  decision.emit<SchedulesStream>(std::move(edited));
  return decision;
}

Decided decide_one(const SchedulesState& s, const States&, const Context& context,
                   const PauseSchedule& c) {
  const Schedule* schedule = find_present(s, c.schedule);
  if (schedule == nullptr) return tl::unexpected(no_schedule(s, c.schedule));
  Decision decision;
  if (!c.is_over) {
    decision.emit<SchedulesStream>(SchedulePaused{c.schedule});
    return decision;
  }
  const auto due = due_next(schedule->spec, schedule->added, context);
  if (!due) return tl::unexpected(due.error());
  decision.emit<SchedulesStream>(ScheduleUnpaused{c.schedule, *due});
  return decision;
}

Decided decide_one(const SchedulesState& s, const States&, const Context&,
                   const RemoveSchedule& c) {
  if (find_present(s, c.schedule) == nullptr) return tl::unexpected(no_schedule(s, c.schedule));
  Decision decision;
  decision.emit<SchedulesStream>(ScheduleRemoved{c.schedule});
  return decision;
}

// The state of the session that runs are about; null: there is none yet.
const SessionState* session_of(const Schedule& schedule, const States& states) {
  const SessionId session =
      schedule.spec.run == RunKind::message ? schedule.spec.to : schedule.session;
  if (!session.is_set()) return nullptr;
  return states.find<SessionStream>(session_stream(schedule.spec.agent, session));
}

// True if the session's prompts wait behind a limit that passes, or that a server can raise.
bool is_limited(const SessionState& session) {
  return is_cap(session.pause) || session.pause == EndReason::usage_limit;
}

// Prompts of a session of its own that wait behind a failure are no work of the next run. Those
// behind a limit, or until an agent is started again, go on by themselves.
bool is_working(const SessionState* session, RunKind kind) {
  if (session == nullptr || !is_live(session->status)) return false;
  const bool goes_on = is_limited(*session) || session->pause == EndReason::session_limit ||
                       session->paused_until.us != 0;
  const bool has_failed = session->pause != EndReason::none && !goes_on;
  const bool is_resting = kind == RunKind::session && has_failed;
  return !is_resting && (has_work(*session) || session->tasks > 0);
}

ScheduleFired fired(const Schedule& schedule, const States& states, const CommandId& run) {
  ScheduleFired fired;
  fired.schedule = schedule.spec.name;
  fired.run = run;
  fired.session = SessionId{run.bytes};
  fired.opens = true;
  const SessionState* session = session_of(schedule, states);
  if (schedule.spec.run == RunKind::message) {
    fired.session = schedule.spec.to;
    fired.opens = false;
  } else if (schedule.spec.run == RunKind::heartbeat && session != nullptr &&
             is_live(session->status) && !session->is_close_requested) {
    fired.session = schedule.session;
    fired.opens = false;
  }
  return fired;
}

// True if a session was opened, or prompted, under that id.
bool was_run(const Schedule& schedule, const States& states, const CommandId& run) {
  const auto* opened =
      states.find<SessionStream>(session_stream(schedule.spec.agent, SessionId{run.bytes}));
  if (opened != nullptr && opened->status != SessionStatus::none) return true;
  const SessionState* prompted = session_of(schedule, states);
  return (prompted != nullptr && known_command(*prompted, run)) ||
         std::any_of(schedule.runs.begin(), schedule.runs.end(),
                     [&](const ScheduleRun& one) { return one.run == run; });
}

Decided decide_one(const SchedulesState& s, const States& states, const Context&,
                   const RunSchedule& c) {
  const Schedule* schedule = find_present(s, c.schedule);
  if (schedule == nullptr) return tl::unexpected(no_schedule(s, c.schedule));
  if (!c.run.is_set()) return reject(RejectionCode::invalid, "a run needs a fresh id");
  if (was_run(*schedule, states, c.run)) {
    return reject(RejectionCode::already_exists,
                  "there was a run " + c.run.text() + " already; a run needs a fresh id");
  }
  if (begun_run(*schedule) != nullptr) {
    return reject(RejectionCode::in_progress,
                  "the last run of '" + c.schedule + "' has not begun yet; try again later");
  }
  ScheduleFired run = fired(*schedule, states, c.run);
  run.next_due = schedule->next_due;
  Decision decision;
  decision.emit<SchedulesStream>(std::move(run));
  return decision;
}

// The times that have passed, and the next one.
struct Passed {
  Time before;               // the last but one that has passed; 0: there is none
  Time last;                 // the last time that has passed
  std::int64_t moments = 0;  // times that have passed
  Time next;                 // 0: none comes
};

// No value: this server does not know the zone, or cannot read what another release could.
std::optional<Passed> passed_of(const Schedule& schedule, const TimeZones& zones, Time now) {
  Passed passed{{}, schedule.next_due, 1, {}};
  const ScheduleSpec& spec = schedule.spec;
  const auto timing = parse_timing(spec.kind, spec.when);
  if (!timing || !knows(&zones, spec)) return std::nullopt;
  if (spec.kind == ScheduleKind::at) return passed;
  if (const auto* steps = std::get_if<Steps>(&*timing)) {
    const std::int64_t until_now = (now - schedule.added) / steps->step;
    const std::int64_t more = until_now - (passed.last - schedule.added) / steps->step;
    if (more > 0) {
      const Time last = schedule.added + steps->step * until_now;
      passed.before = std::max(passed.last, Time{last.us - steps->step.count()});
      passed.last = last;
      passed.moments += more;
    }
    passed.next = next_due(*timing, spec.zone, zones, now, schedule.added).value_or(Time{});
    return passed;
  }
  for (; passed.moments <= kMomentsMax; ++passed.moments) {
    const auto next = next_due(*timing, spec.zone, zones, passed.last, schedule.added);
    passed.next = next.value_or(Time{});
    if (!next || *next > now) return passed;
    passed.before = std::exchange(passed.last, *next);
  }
  passed.next = next_due(*timing, spec.zone, zones, now, schedule.added).value_or(Time{});
  return passed;
}

Rejection cannot_tell(const Schedule& schedule) {
  return {RejectionCode::refused, "this server cannot tell when '" + schedule.spec.when +
                                      "' is due in the zone '" + schedule.spec.zone + "'"};
}

// When it is due next was decided while the clock was ahead.
Decided plan_anew(const Schedule& schedule, const Context& context) {
  const auto timing = parse_timing(schedule.spec.kind, schedule.spec.when);
  if (!timing || !knows(context.zones, schedule.spec)) {
    return tl::unexpected(cannot_tell(schedule));
  }
  const auto next = next_due(*timing, schedule.spec.zone, *context.zones, context.wall,
                             std::min(schedule.added, context.wall));
  Decision decision;
  decision.emit<SchedulesStream>(
      ScheduleSkipped{schedule.spec.name, SkipReason::clock, {}, 0, next.value_or(Time{})});
  return decision;
}

Decided decide_one(const SchedulesState& s, const States& states, const Context& context,
                   const FireSchedule& c) {
  const Schedule* schedule = find(s, c.schedule);
  const bool is_next = schedule != nullptr && schedule->next_due == c.due && c.due.us != 0;
  if (!is_next || context.zones == nullptr) return Decision{};
  if (is_planned_ahead(*schedule, context.wall)) return plan_anew(*schedule, context);
  if (c.due > context.wall) return Decision{};
  const auto found = passed_of(*schedule, *context.zones, context.wall);
  if (!found) return tl::unexpected(cannot_tell(*schedule));
  const Passed& passed = *found;
  ScheduleSkipped skipped{c.schedule, {}, passed.last, passed.moments, passed.next};
  Decision decision;
  const bool is_late = context.wall - passed.last > kOnTime;
  if (is_late && schedule->spec.missed == MissedRuns::skip) {
    skipped.reason = SkipReason::missed;
    decision.emit<SchedulesStream>(std::move(skipped));
  } else if (begun_run(*schedule) != nullptr) {
    skipped.reason = SkipReason::waiting;
    decision.emit<SchedulesStream>(std::move(skipped));
  } else if (!schedule->spec.overlaps &&
             is_working(session_of(*schedule, states), schedule->spec.run)) {
    skipped.reason = SkipReason::overlap;
    const SessionState& last = *session_of(*schedule, states);
    if (is_limited(last)) {
      skipped.reason = SkipReason::limit;
      skipped.limit = last.pause;
      skipped.until = std::max(last.paused_until, last.day_over);
    }
    decision.emit<SchedulesStream>(std::move(skipped));
  } else {
    ScheduleFired run = fired(*schedule, states, c.run);
    run.due = passed.last;
    run.moments = passed.moments;
    // The last one is not late; those before it were missed.
    if (schedule->spec.missed == MissedRuns::skip && passed.moments > 1) {
      run.moments = 1;
      decision.emit<SchedulesStream>(ScheduleSkipped{c.schedule, SkipReason::missed, passed.before,
                                                     passed.moments - 1, passed.last});
    }
    run.next_due = passed.next;
    decision.emit<SchedulesStream>(std::move(run));
  }
  return decision;
}

Decided decide_one(const SchedulesState& s, const States&, const Context&, const RecordRun& c) {
  Decision decision;
  const Schedule* schedule = find(s, c.schedule);
  const ScheduleRun* run = schedule == nullptr ? nullptr : begun_run(*schedule);
  if (run == nullptr || run->run != c.run) return decision;
  if (c.error.empty()) {
    decision.emit<SchedulesStream>(RunTaken{c.schedule, c.run});
  } else {
    RunRefused refused{c.schedule, c.run, c.error};
    cut_text(refused.error, kRefusalBytesMax);
    decision.emit<SchedulesStream>(std::move(refused));
  }
  return decision;
}

const std::string& name_in(const FireSchedule& c) {
  return c.schedule;
}
const std::string& name_in(const RunSchedule& c) {
  return c.schedule;
}

}  // namespace

void reads(const SchedulesCommand& command, const StreamRef&, Reads& further) {
  std::visit(
      [&]<class C>(const C& c) {
        if constexpr (base::kContains<C, base::Types<AddSchedule, EditSchedule>>) {
          if (!c.spec.to.is_set() || !is_agent_name(c.spec.agent)) return;
          further.add(session_stream(c.spec.agent, c.spec.to));
        }
      },
      command);
}

void reads_further(const SchedulesCommand& command, const StreamRef&, const States& states,
                   Reads& further) {
  std::visit(
      [&]<class C>(const C& c) {
        if constexpr (base::kContains<C, base::Types<FireSchedule, RunSchedule>>) {
          const Schedule* schedule = find(states.target<SchedulesStream>(), name_in(c));
          if (schedule == nullptr) return;
          const ScheduleSpec& spec = schedule->spec;
          const SessionId session = spec.run == RunKind::message ? spec.to : schedule->session;
          // Whether that one works, or even can be read, does not matter then.
          const bool is_apart = spec.run == RunKind::session && spec.overlaps;
          if (session.is_set() && !is_apart) further.add(session_stream(spec.agent, session));
          if constexpr (std::same_as<C, RunSchedule>) {
            const SessionId opened{c.run.bytes};
            if (opened.is_set() && opened != session) {
              further.add(session_stream(spec.agent, opened));
            }
          }
        }
      },
      command);
}

Decided decide(const SchedulesCommand& command, const States& states, const Context& context) {
  const auto& state = states.target<SchedulesStream>();
  return std::visit([&](const auto& c) { return decide_one(state, states, context, c); }, command);
}

SchedulesReply reply(const SchedulesState& state, const SchedulesCommand& command) {
  SchedulesReply reply{static_cast<std::int64_t>(state.schedules.size()), {}, {}};
  const Schedule* schedule = std::visit(
      [&]<class C>(const C& c) -> const Schedule* {
        if constexpr (base::kContains<C, base::Types<AddSchedule, EditSchedule>>)
          return find(state, c.spec.name);
        else
          return find(state, c.schedule);
      },
      command);
  if (schedule != nullptr) {
    reply.next_due = schedule->next_due;
    reply.session = schedule->session;
  }
  return reply;
}

}  // namespace domain
