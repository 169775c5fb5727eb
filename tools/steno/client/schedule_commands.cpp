// `steno schedule`: adds, lists, changes, runs and removes schedules. What became of a run is what
// became of its session, so the rows of sessions are asked for as well.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/own_grant.hpp"
#include "tools/steno/client/prompt_input.hpp"
#include "tools/steno/connection/caller.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/opening.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/protocol/schedules.hpp"

namespace steno {
namespace {

using workers::cost_text;
using workers::dollars_text;
using workers::status_text;

using domain::Schedule;
using domain::ScheduleRun;

// Returns the name of this machine's time zone.
Outcome<std::string> local_zone() {
  constexpr std::string_view kDatabase = "/zoneinfo/";
  if (const char* variable = std::getenv("TZ"); variable != nullptr && *variable != '\0') {
    std::string_view text(variable);
    if (text.starts_with(':')) text.remove_prefix(1);
    const std::size_t at = text.find(kDatabase);
    if (at != std::string_view::npos) text.remove_prefix(at + kDatabase.size());
    // A rule such as JST-9 looks like the name EST5EDT; the server knows which names there are.
    if (!text.starts_with('/')) return std::string(text);
    // Otherwise another zone than the one that is meant would be taken in its place.
    if (text != "/etc/localtime") {
      return fail(kExitUsage, "TZ=" + std::string(variable) +
                                  " names no zone of the time zone database; name one with "
                                  "--zone, as in --zone Europe/Berlin");
    }
  }
  std::error_code error;
  const std::string target = std::filesystem::read_symlink("/etc/localtime", error).string();
  if (const std::size_t at = target.find(kDatabase); !error && at != std::string::npos) {
    return target.substr(at + kDatabase.size());
  }
  std::string zone;
  if (std::ifstream file("/etc/timezone"); std::getline(file, zone) && !zone.empty()) return zone;
  if (!std::filesystem::exists("/etc/localtime", error)) return std::string("UTC");
  return fail(kExitUsage,
              "this machine does not say its time zone; name one with --zone, as in "
              "--zone Europe/Berlin");
}

// Returns when it is due as the command line said it.
Outcome<bool> set_timing(const ScheduleArguments& arguments, domain::ScheduleSpec& spec) {
  using domain::ScheduleKind;
  const std::pair<ScheduleKind, const std::string*> kAll[] = {
      {ScheduleKind::at, &arguments.at},
      {ScheduleKind::every, &arguments.every},
      {ScheduleKind::cron, &arguments.cron}};
  for (const auto& [kind, text] : kAll) {
    if (text->empty()) continue;
    spec.kind = kind;
    spec.when = *text;
  }
  const auto timing = domain::parse_timing(spec.kind, spec.when);
  if (!timing) return fail(kExitUsage, timing.error());
  return true;
}

// `is_for_people`: as list_time_text() has it.
std::string next_text(const Schedule& schedule, base::Time now, bool is_for_people = false) {
  if (schedule.is_removed) return "removed";
  if (schedule.is_paused) return "paused";
  if (schedule.next_due.us == 0) return "never again";
  if (schedule.next_due <= now) return "now";
  constexpr base::Duration kSoon = std::chrono::hours(1);
  if (schedule.next_due - now > kSoon) {
    return list_time_text(schedule.next_due, now, is_for_people);
  }
  return "in " + duration_text(schedule.next_due - now);
}

using Rows = std::map<base::SessionId, projections::SessionRow>;

// Returns the rows of the sessions that the schedules' runs were about.
Outcome<Rows> rows_of(Connection& connection, const std::vector<Schedule>& schedules) {
  std::map<std::string, std::set<base::SessionId>> wanted;  // by agent
  for (const Schedule& schedule : schedules) {
    for (const ScheduleRun& run : schedule.runs) {
      if (run.session.is_set()) wanted[schedule.spec.agent].insert(run.session);
    }
  }
  Rows rows;
  for (const auto& [agent, sessions] : wanted) {
    for (auto at = sessions.begin(); at != sessions.end();) {
      workers::QueryBody query;
      query.agent = agent;
      for (; at != sessions.end() && query.sessions.size() < projections::kSessionsMax; ++at) {
        query.sessions.push_back(*at);
      }
      auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
      if (!page) return tl::unexpected(page.error());
      for (projections::SessionRow& row : page->sessions) {
        rows[row.session] = std::move(row);
      }
    }
  }
  return rows;
}

// Returns how a session is called that a run was about.
std::string session_name(base::SessionId session, const Rows& rows) {
  if (!session.is_set()) return {};
  const auto found = rows.find(session);
  return found == rows.end() ? session.text() : found->second.alias;
}

// Returns what became of a run that was taken. A session that several runs prompted says that of
// the last one only.
std::string taken_text(const ScheduleRun& run, bool is_last, const Rows& rows) {
  const auto found = rows.find(run.session);
  std::string done = run.opens ? "opened" : "sent";
  if (found == rows.end()) return done;
  const projections::SessionRow& row = found->second;
  const bool has_ended = domain::is_terminal(row.status);
  if (run.opens && (is_last || !row.is_multi_turn)) {
    return status_text(row) + " " + cost_text(row);
  }
  const bool is_amiss = has_ended && row.status != domain::SessionStatus::completed;
  return is_last && is_amiss ? done + ", and its session is " + status_text(row) : done;
}

// Returns which limit the session of the last run waited for, and until when.
std::string limited_text(const ScheduleRun& run) {
  std::string text = "skipped: the last run waits for ";
  switch (run.limit) {
    case domain::EndReason::usage_limit:
      text += "the end of its provider's limit of use";
      break;
    case domain::EndReason::daily_budget:
      text += "the next day's budget";
      break;
    case domain::EndReason::agent_budget:
      text += "a larger agent_budget_usd";
      break;
    default:
      text += "the end of a limit (" + std::string(base::enum_name(run.limit)) + ")";
  }
  return run.until.us == 0 ? text : text + ", until " + short_time_text(run.until);
}

std::string outcome_text(const Schedule& schedule, const ScheduleRun& run, const Rows& rows) {
  switch (run.outcome) {
    case domain::RunOutcome::begun:
      return "about to begin";
    case domain::RunOutcome::taken: {
      const auto last =
          std::find_if(schedule.runs.rbegin(), schedule.runs.rend(),
                       [&](const ScheduleRun& one) { return one.session == run.session; });
      return taken_text(run, last != schedule.runs.rend() && last->run == run.run, rows);
    }
    case domain::RunOutcome::refused:
      return "refused: " + run.error;
    case domain::RunOutcome::skipped:
      break;
  }
  switch (run.skipped.value_or(domain::SkipReason::missed)) {
    case domain::SkipReason::missed:
      return "skipped: no server ran";
    case domain::SkipReason::overlap:
      return "skipped: the last run still worked";
    case domain::SkipReason::waiting:
      return "skipped: the last run had not begun";
    case domain::SkipReason::clock:
      return "planned anew: the clock was set back";
    case domain::SkipReason::limit:
      return limited_text(run);
  }
  return {};
}

std::string when_text(const domain::ScheduleSpec& spec) {
  const std::string text = std::string(base::enum_name(spec.kind)) + " " + spec.when;
  return spec.kind == domain::ScheduleKind::every ? text : text + " " + spec.zone;
}

std::string moments_text(const ScheduleRun& run) {
  if (run.moments == 0) return {};
  const bool is_more = run.moments == domain::kMomentsMax + 1;
  return is_more ? "over " + std::to_string(domain::kMomentsMax) : std::to_string(run.moments);
}

// Returns what became of the last run, and when. Where columns are few, it is the time that is cut.
std::string last_text(const Schedule& schedule, const Rows& rows, base::Time now) {
  if (schedule.runs.empty()) return {};
  const ScheduleRun& run = schedule.runs.back();
  const std::string outcome = outcome_text(schedule, run, rows);
  if (!is_stdout_terminal()) return short_time_text(run.at) + " " + outcome;
  return outcome + " (" + list_time_text(run.at, now, true) + ")";
}

std::string list_text(const workers::SchedulesAnswer& answer, const Rows& rows, base::Time now) {
  Table table({{"NAME"},
               {"WHEN", Align::left, 48},
               {"NEXT"},
               {"RUNS", Align::right},
               {"LAST", Align::left, 72},
               {"SESSION", Align::left, 60, true},
               {"PROMPT", Align::left, 40, true}});
  for (const Schedule& schedule : answer.schedules) {
    table.add({schedule.spec.name, when_text(schedule.spec),
               next_text(schedule, now, is_stdout_terminal()), std::to_string(schedule.fired),
               last_text(schedule, rows, now), session_name(schedule.session, rows),
               (schedule.spec.uses_subagent ? "by a subagent: " : "") + schedule.spec.prompt});
  }
  return table.text(stdout_columns());
}

// The reason of a refusal is told whole.
std::string log_text(const Schedule& schedule, const Rows& rows) {
  constexpr std::size_t kOutcomeColumns = 1'000;
  Table table({{"DUE"},
               {"DECIDED"},
               {"TIMES", Align::right},
               {"SESSION"},
               {"OUTCOME", Align::left, kOutcomeColumns}});
  for (auto run = schedule.runs.rbegin(); run != schedule.runs.rend(); ++run) {
    table.add({run->due.us == 0 ? "by hand" : short_time_text(run->due), short_time_text(run->at),
               moments_text(*run), session_name(run->session, rows),
               outcome_text(schedule, *run, rows)});
  }
  return table.text(stdout_columns());
}

// Returns the document of a schedule, with the rows of its sessions.
std::string schedule_json(const Schedule& schedule, const Rows& rows) {
  std::vector<projections::SessionRow> its;
  for (const ScheduleRun& run : schedule.runs) {
    const auto found = rows.find(run.session);
    const bool is_known = std::any_of(its.begin(), its.end(),
                                      [&](const auto& row) { return row.session == run.session; });
    if (found != rows.end() && !is_known) its.push_back(found->second);
  }
  workers::JsonObject object;
  object.add_fields(workers::to_json(schedule)).add("sessions", its);
  return object.text();
}

Outcome<workers::SchedulesAnswer> ask_all(Connection& connection) {
  return connection.ask<workers::SchedulesAnswer>(workers::kVerbSchedules, workers::QueryBody{});
}

Outcome<Schedule> ask_one(Connection& connection, const std::string& name) {
  auto answer = ask_all(connection);
  if (!answer) return tl::unexpected(answer.error());
  for (Schedule& schedule : answer->schedules) {
    if (schedule.spec.name == name) return std::move(schedule);
  }
  return fail(kExitNotFound, "there is no schedule '" + name + "'; steno schedule ls lists them");
}

// Waits until the run has begun, or was refused. Returns why; none: it has begun.
Outcome<std::optional<std::string>> wait_for_run(Connection& connection, base::Position after,
                                                 const base::CommandId& run) {
  auto follower = Follower::open(connection, "all/", after);
  if (!follower) return tl::unexpected(follower.error());
  WaitFor wanted;
  wanted.until = connection.clock().boot() + connection.config().timeout;
  for (;;) {
    const auto wake = (*follower)->wait(wanted);
    if (!wake) return tl::unexpected(wake.error());
    if (*wake != Wake::event) {
      return fail(kExitBusy,
                  "the run has not begun yet, and is on the record; steno schedule log tells what "
                  "becomes of it");
    }
    const auto seen = workers::see((*follower)->event());
    if (!seen) return fail(seen.error());
    const domain::Event& event = seen->recorded.event;
    const auto* taken = event.as<domain::RunTaken>();
    if (taken != nullptr && taken->run == run) return std::optional<std::string>();
    const auto* refused = event.as<domain::RunRefused>();
    if (refused != nullptr && refused->run == run) return std::optional(refused->error);
  }
}

// Sets what the command line says of the sessions that runs open.
void apply_said(const Config& config, const ScheduleArguments& arguments,
                domain::SessionSpec& session) {
  const domain::SessionSpec named = spec_defaults(config).spec;
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    if (is_flag(config, setting.key)) domain::copy_setting(setting, named, session);
  }
  if (is_flag(config, "channel")) session.channel = config.channel;
  if (arguments.is_multi_turn) session.is_multi_turn = true;
  if (arguments.max_turns != 0) session.max_turns = arguments.max_turns;
  if (!arguments.allowed_tools.empty()) session.allowed_tools = arguments.allowed_tools;
}

// A schedule that prompts a session opens none.
Outcome<bool> check_opens_none(const Config& config, const ScheduleArguments& arguments) {
  std::string flag;
  const auto look = [&](std::string_view key) {
    if (is_flag(config, key)) flag = flag_name(key);
  };
  for (const domain::SpecSetting& setting : domain::spec_settings()) look(setting.key);
  look("channel");
  if (arguments.is_multi_turn) flag = "--multi-turn";
  if (arguments.max_turns != 0) flag = "--max-turns";
  if (!arguments.allowed_tools.empty()) flag = "--allow-tool";
  if (flag.empty()) return true;
  return fail(kExitUsage, flag +
                              " is of a session that is opened, and this schedule opens none: it "
                              "prompts one that has its settings");
}

std::string run_text(const domain::ScheduleSpec& spec) {
  switch (spec.run) {
    case domain::RunKind::session:
      return "opens a session";
    case domain::RunKind::message:
      return "prompts session " + spec.to.text();
    case domain::RunKind::heartbeat:
      return spec.uses_subagent ? "prompts its session, whose agent leaves it to a subagent"
                                : "prompts its session";
  }
  return {};
}

std::string show_text(const Schedule& schedule, const Rows& rows, base::Time now) {
  const domain::ScheduleSpec& spec = schedule.spec;
  Fields fields;
  fields.add("schedule", spec.name);
  fields.add("when", when_text(spec));
  fields.add("next", next_text(schedule, now));
  fields.add("run", run_text(spec));
  fields.add("missed times",
             spec.missed == domain::MissedRuns::skip ? "are skipped" : "run once, together");
  fields.add("overlap", spec.overlaps ? "it also runs while the last run works" : "");
  fields.add("agent", spec.agent);
  if (spec.run != domain::RunKind::message) {
    const domain::SessionSpec& session = spec.session;
    fields.add("workdir", session.workdir);
    fields.add("engine", session.engine);
    fields.add("model", session.model);
    fields.add("permissions", std::string(base::enum_name(session.permission_mode)));
    fields.add("budget", session.budget.value > 0 ? dollars_text(session.budget) : "");
    fields.add("channel",
               session.channel->empty()
                   ? "as the server's folder_channels and fallback_channel say at each run"
                   : *session.channel);
  }
  fields.add("runs", std::to_string(schedule.fired));
  if (!schedule.runs.empty()) {
    const ScheduleRun& last = schedule.runs.back();
    fields.add("last run", short_time_text(last.at) + " " + outcome_text(schedule, last, rows));
  }
  fields.add("session", session_name(schedule.session, rows));
  fields.add("prompt", spec.prompt);
  return fields.text();
}

}  // namespace

Outcome<int> schedule_add(const Config& config, const ScheduleArguments& arguments) {
  domain::ScheduleSpec spec;
  spec.name = arguments.name;
  if (const auto ok = set_timing(arguments, spec); !ok) return tl::unexpected(ok.error());
  auto prompt = prompt_of(arguments.prompt, arguments.place);
  if (!prompt) return tl::unexpected(prompt.error());
  spec.prompt = std::move(*prompt);
  spec.zone = arguments.zone;
  const bool is_utc = spec.kind == domain::ScheduleKind::at && spec.when.ends_with('Z');
  if (spec.zone.empty() && is_utc) spec.zone = "UTC";
  if (spec.zone.empty() && spec.kind != domain::ScheduleKind::every) {
    auto zone = local_zone();
    if (!zone) return tl::unexpected(zone.error());
    spec.zone = std::move(*zone);
  }
  if (arguments.skips_missed) spec.missed = domain::MissedRuns::skip;
  spec.overlaps = arguments.overlaps;
  spec.uses_subagent = arguments.uses_subagent;
  spec.agent = config.agent;
  if (arguments.is_heartbeat) spec.run = domain::RunKind::heartbeat;
  if (!arguments.to.empty()) {
    const auto ok = check_opens_none(config, arguments);
    if (!ok) return tl::unexpected(ok.error());
  } else {
    if (const auto ok = workers::check_workdir(config.session.workdir); !ok)
      return fail(ok.error());
    spec.session = spec_defaults(config).spec;
    // The server lets a heartbeat wait for as long as it takes.
    if (arguments.is_heartbeat && !is_flag(config, "idle_timeout")) spec.session.idle_timeout = {};
    // Without one, the server's settings say at each run where its news go.
    spec.session.channel = config.channel;
    spec.session.is_multi_turn = arguments.is_multi_turn;
    spec.session.max_turns = arguments.max_turns;
    spec.session.allowed_tools = arguments.allowed_tools;
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (!arguments.to.empty()) {
    const auto target = (*connection)->find(arguments.to);
    if (!target) return tl::unexpected(target.error());
    spec.run = domain::RunKind::message;
    spec.to = target->session.session;
    spec.agent = target->session.agent;
  }
  if (arguments.to.empty()) {
    const auto notes = hold_process(**connection, nullptr, spec.session);
    if (!notes) return tl::unexpected(notes.error());
    for (const std::string& note : *notes) remark("steno: " + note);
  }
  const auto reply = (*connection)->command_schedules(domain::AddSchedule{spec});
  if (!reply) return tl::unexpected(reply.error());
  if (config.output == OutputFormat::table) {
    print(spec.name + ": " + when_text(spec) + ", next at " + short_time_text(reply->next_due) +
          "\n");
  } else {
    print(workers::JsonObject()
              .add("schedule", spec.name)
              .add("next_due", reply->next_due)
              .add("position", reply->position)
              .text() +
          "\n");
  }
  return kExitOk;
}

Outcome<int> schedule_list(const Config& config, const ScheduleArguments&) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto answer = ask_all(**connection);
  if (!answer) return tl::unexpected(answer.error());
  const auto rows = rows_of(**connection, answer->schedules);
  if (!rows) return tl::unexpected(rows.error());
  if (config.output == OutputFormat::json) {
    std::string all;
    for (const Schedule& schedule : answer->schedules) {
      all += (all.empty() ? "" : ",") + schedule_json(schedule, *rows);
    }
    print("{\"schedules\":[" + all + "],\"faults\":" + workers::to_json(answer->faults) + "}\n");
  } else if (config.output == OutputFormat::jsonl) {
    for (const Schedule& schedule : answer->schedules) print(schedule_json(schedule, *rows) + "\n");
  } else if (answer->schedules.empty()) {
    remark("no schedules; steno schedule add makes one");
  } else {
    print(list_text(*answer, *rows, (*connection)->clock().wall()));
    for (const auto& [name, fault] : answer->faults) remark(name + ": " + fault);
  }
  return kExitOk;
}

Outcome<int> schedule_remove(const Config& config, const ScheduleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto reply = (*connection)->command_schedules(domain::RemoveSchedule{arguments.name});
  if (!reply) return tl::unexpected(reply.error());
  remark("removed " + arguments.name);
  return kExitOk;
}

Outcome<int> schedule_run(const Config& config, const ScheduleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto schedule = ask_one(**connection, arguments.name);
  if (!schedule) return tl::unexpected(schedule.error());
  const base::CommandId run = (*connection)->fresh_command_id();
  const auto reply = (*connection)->command_schedules(domain::RunSchedule{arguments.name, run});
  if (!reply) return tl::unexpected(reply.error());
  const auto refused = wait_for_run(**connection, reply->position.plus(-1), run);
  if (!refused) return tl::unexpected(refused.error());
  if (*refused) {
    const std::string code = (*refused)->substr(0, (*refused)->find(':'));
    return fail(exit_code_of(workers::error_of_reply(code)),
                "'" + arguments.name + "' does not run: " + **refused);
  }
  workers::QueryBody query;
  query.agent = schedule->spec.agent;
  query.reference = reply->session.text();
  const auto shown = (*connection)->ask<workers::ShowAnswer>(workers::kVerbShow, query);
  if (!shown) return tl::unexpected(shown.error());
  if (config.output == OutputFormat::table) {
    print("runs as session " + shown->session.alias + " " + shown->session.name + "\n");
  } else {
    print(workers::JsonObject()
              .add("schedule", arguments.name)
              .add("session", reply->session)
              .add("alias", shown->session.alias)
              .add("name", shown->session.name)
              .add("position", reply->position)
              .text() +
          "\n");
  }
  return kExitOk;
}

Outcome<int> schedule_log(const Config& config, const ScheduleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto found = ask_one(**connection, arguments.name);
  if (!found) return tl::unexpected(found.error());
  const auto rows = rows_of(**connection, {*found});
  if (!rows) return tl::unexpected(rows.error());
  if (config.output == OutputFormat::json) {
    print(schedule_json(*found, *rows) + "\n");
  } else if (config.output == OutputFormat::jsonl) {
    for (const ScheduleRun& run : found->runs) print(workers::to_json(run) + "\n");
  } else if (found->runs.empty()) {
    remark(arguments.name +
           " has not run yet; next: " + next_text(*found, (*connection)->clock().wall()));
  } else {
    print(log_text(*found, *rows));
  }
  return kExitOk;
}

Outcome<int> schedule_show(const Config& config, const ScheduleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto found = ask_one(**connection, arguments.name);
  if (!found) return tl::unexpected(found.error());
  const auto rows = rows_of(**connection, {*found});
  if (!rows) return tl::unexpected(rows.error());
  print(config.output == OutputFormat::table
            ? show_text(*found, *rows, (*connection)->clock().wall())
            : schedule_json(*found, *rows) + "\n");
  return kExitOk;
}

namespace {

Outcome<int> set_paused(const Config& config, const ScheduleArguments& arguments, bool is_over) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto reply =
      (*connection)->command_schedules(domain::PauseSchedule{arguments.name, is_over});
  if (!reply) return tl::unexpected(reply.error());
  const bool is_due = is_over && reply->next_due.us != 0;
  remark(arguments.name + (is_over ? " runs again" : " is paused") +
         (is_due ? ", next at " + short_time_text(reply->next_due) : ""));
  return kExitOk;
}

}  // namespace

Outcome<int> schedule_pause(const Config& config, const ScheduleArguments& arguments) {
  return set_paused(config, arguments, false);
}

Outcome<int> schedule_unpause(const Config& config, const ScheduleArguments& arguments) {
  return set_paused(config, arguments, true);
}

Outcome<int> schedule_edit(const Config& config, const ScheduleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  auto found = ask_one(**connection, arguments.name);
  if (!found) return tl::unexpected(found.error());
  domain::ScheduleSpec spec = found->spec;
  const bool is_retimed =
      !arguments.at.empty() || !arguments.every.empty() || !arguments.cron.empty();
  if (is_retimed) {
    if (const auto ok = set_timing(arguments, spec); !ok) return tl::unexpected(ok.error());
  }
  if (!arguments.zone.empty()) spec.zone = arguments.zone;
  if (spec.kind == domain::ScheduleKind::every) {
    spec.zone.clear();
  } else if (spec.zone.empty()) {
    auto zone = local_zone();
    if (!zone) return tl::unexpected(zone.error());
    spec.zone = std::move(*zone);
  }
  if (!arguments.prompt.empty() || !arguments.place.file.empty()) {
    auto prompt = prompt_of(arguments.prompt, arguments.place);
    if (!prompt) return tl::unexpected(prompt.error());
    spec.prompt = std::move(*prompt);
  }
  if (arguments.skips_missed) spec.missed = domain::MissedRuns::skip;
  if (arguments.runs_missed) spec.missed = domain::MissedRuns::once;
  if (arguments.overlaps) spec.overlaps = true;
  if (arguments.is_apart) spec.overlaps = false;
  if (spec.run == domain::RunKind::message) {
    const auto ok = check_opens_none(config, arguments);
    if (!ok) return tl::unexpected(ok.error());
  } else {
    apply_said(config, arguments, spec.session);
    const auto held = hold_edited(**connection, spec.session);
    if (!held) return tl::unexpected(held.error());
  }
  const auto reply = (*connection)->command_schedules(domain::EditSchedule{spec});
  if (!reply) return tl::unexpected(reply.error());
  if (config.output == OutputFormat::table) {
    print(spec.name + ": " + when_text(spec) +
          (reply->next_due.us == 0 ? "" : ", next at " + short_time_text(reply->next_due)) + "\n");
  } else {
    print(workers::JsonObject()
              .add("schedule", spec.name)
              .add("next_due", reply->next_due)
              .add("position", reply->position)
              .text() +
          "\n");
  }
  return kExitOk;
}

}  // namespace steno
