// `steno schedule`: adds, lists, runs and removes schedules.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/prompt_input.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/operations/grant.hpp"
#include "tools/steno/operations/opening.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/schedules.hpp"

namespace steno {
namespace {

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

std::string next_text(const Schedule& schedule, base::Time now) {
  if (schedule.is_removed) return "removed";
  if (schedule.next_due.us == 0) return "never again";
  if (schedule.next_due <= now) return "now";
  constexpr base::Duration kSoon = std::chrono::hours(1);
  if (schedule.next_due - now > kSoon) return short_time_text(schedule.next_due);
  return "in " + duration_text(schedule.next_due - now);
}

std::string outcome_text(const ScheduleRun& run) {
  switch (run.outcome) {
    case domain::RunOutcome::begun:
      return "about to begin";
    case domain::RunOutcome::taken:
      return run.opens ? "opened" : "sent";
    case domain::RunOutcome::refused:
      return "refused: " + run.error;
    case domain::RunOutcome::skipped:
      break;
  }
  switch (run.skipped) {
    case domain::SkipReason::missed:
      return "skipped: no server ran";
    case domain::SkipReason::overlap:
      return "skipped: the last run still worked";
    case domain::SkipReason::waiting:
      return "skipped: the last run had not begun";
    case domain::SkipReason::clock:
      return "planned anew: the clock was set back";
  }
  return {};
}

std::string when_text(const domain::ScheduleSpec& spec) {
  const std::string text = std::string(base::enum_name(spec.kind)) + " " + spec.when;
  return spec.kind == domain::ScheduleKind::every ? text : text + " " + spec.zone;
}

std::string list_text(const workers::SchedulesAnswer& answer, base::Time now) {
  Table table({{"NAME"},
               {"WHEN", Align::left, 48},
               {"NEXT"},
               {"RUNS", Align::right},
               {"LAST"},
               {"SESSION"},
               {"PROMPT", Align::left, 40}});
  for (const Schedule& schedule : answer.schedules) {
    const bool has_run = !schedule.runs.empty();
    table.add({schedule.spec.name, when_text(schedule.spec), next_text(schedule, now),
               std::to_string(schedule.fired),
               has_run ? short_time_text(schedule.runs.back().at) + " " +
                             outcome_text(schedule.runs.back())
                       : "",
               schedule.session.is_set() ? schedule.session.text() : "",
               (schedule.spec.uses_subagent ? "by a subagent: " : "") + schedule.spec.prompt});
  }
  return table.text();
}

std::string log_text(const Schedule& schedule) {
  Table table({{"DUE"}, {"DECIDED"}, {"TIMES", Align::right}, {"OUTCOME"}, {"SESSION"}});
  for (auto run = schedule.runs.rbegin(); run != schedule.runs.rend(); ++run) {
    table.add({run->due.us == 0 ? "by hand" : short_time_text(run->due), short_time_text(run->at),
               run->moments == 0 ? "" : std::to_string(run->moments), outcome_text(*run),
               run->session.is_set() ? run->session.text() : ""});
  }
  return table.text();
}

Outcome<workers::SchedulesAnswer> ask_all(Connection& connection) {
  return connection.ask<workers::SchedulesAnswer>(workers::kVerbSchedules, workers::QueryBody{});
}

}  // namespace

Outcome<int> schedule_add(const Config& config, const ScheduleArguments& arguments) {
  domain::ScheduleSpec spec;
  spec.name = arguments.name;
  if (const auto ok = set_timing(arguments, spec); !ok) return tl::unexpected(ok.error());
  auto prompt = prompt_of(arguments.prompt);
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
  if (arguments.to.empty()) {
    if (const auto ok = check_workdir(config.workdir); !ok) return tl::unexpected(ok.error());
    spec.session = spec_of(config);
    // The server lets a heartbeat wait for as long as it takes.
    if (arguments.is_heartbeat && !is_flag(config, "idle_timeout")) spec.session.idle_timeout = {};
    spec.session.channel = channel_of(config, config.workdir);
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
  if (config.output == OutputFormat::json) {
    print(workers::to_json(*answer) + "\n");
  } else if (config.output == OutputFormat::jsonl) {
    for (const Schedule& schedule : answer->schedules) print(workers::to_json(schedule) + "\n");
  } else if (answer->schedules.empty()) {
    remark("no schedules; steno schedule add makes one");
  } else {
    print(list_text(*answer, (*connection)->clock().wall()));
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
  const auto reply = (*connection)
                         ->command_schedules(domain::RunSchedule{
                             arguments.name, (*connection)->fresh_command_id()});
  if (!reply) return tl::unexpected(reply.error());
  if (config.output == OutputFormat::table) {
    print("runs as session " + reply->session.text() + "\n");
  } else {
    print(workers::JsonObject()
              .add("schedule", arguments.name)
              .add("session", reply->session)
              .add("position", reply->position)
              .text() +
          "\n");
  }
  return kExitOk;
}

Outcome<int> schedule_log(const Config& config, const ScheduleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto answer = ask_all(**connection);
  if (!answer) return tl::unexpected(answer.error());
  const auto& all = answer->schedules;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Schedule& schedule) {
    return schedule.spec.name == arguments.name;
  });
  if (found == all.end()) {
    return fail(kExitNotFound,
                "there is no schedule '" + arguments.name + "'; steno schedule ls lists them");
  }
  if (config.output == OutputFormat::json) {
    print(workers::to_json(*found) + "\n");
  } else if (config.output == OutputFormat::jsonl) {
    for (const ScheduleRun& run : found->runs) print(workers::to_json(run) + "\n");
  } else if (found->runs.empty()) {
    remark(arguments.name +
           " has not run yet; next: " + next_text(*found, (*connection)->clock().wall()));
  } else {
    print(log_text(*found));
  }
  return kExitOk;
}

}  // namespace steno
