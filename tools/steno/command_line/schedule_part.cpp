// Declares `schedule` with its subcommands.
#include "eventlog/base/digits.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/command_line/prompt_flags.hpp"
#include "tools/steno/command_line/session_flags.hpp"

namespace steno {
namespace {

// Flags that are given change the schedule. All else of it stays.
void add_schedule_edit(CommandLine& line, CLI::App& schedule) {
  auto& edited = line.keep<ScheduleArguments>();
  CLI::App* edit =
      line.command(schedule, "edit", "Change one; what is not said stays, and so does its past",
                   "  steno schedule edit nightly --cron '0 4 * * *'\n"
                   "  steno schedule edit nightly --model opus 'update the dependencies'",
                   edited, prompting(schedule_edit, &ScheduleArguments::prompt, false));
  edit->add_option("NAME", edited.name, "As the list says")->required();
  add_prompt(edit, "PROMPT", edited.prompt, edited.place, "Another task; -: read from stdin");
  CLI::App* when = edit->add_option_group("When")->require_option(0, 1);
  when->add_option("--at", edited.at, "Once: a date and a time")->type_name("TIME");
  when->add_option("--every", edited.every, "In steps from now on")->type_name("STEP");
  when->add_option("--cron", edited.cron, "As a cron line says")->type_name("LINE");
  edit->add_option("--zone", edited.zone, "Time zone of --at and --cron")->type_name("ZONE");
  CLI::Option* skip =
      edit->add_flag("--skip-missed", edited.skips_missed, "As `schedule add` has it");
  edit->add_flag("--run-missed", edited.runs_missed, "Times that were missed run once, together")
      ->excludes(skip);
  CLI::Option* overlap = edit->add_flag("--overlap", edited.overlaps, "As `schedule add` has it");
  edit->add_flag("--no-overlap", edited.is_apart,
                 "It does not run while the session of the last run still works")
      ->excludes(overlap);
  edit->add_flag("--multi-turn", edited.is_multi_turn,
                 "Sessions that it opens take further prompts");
  add_settings(line, *edit, {"channel"});
  edit->add_option("--max-turns", edited.max_turns, "The agent's model calls")
      ->check(within(0, base::kIntegerLimit - 1))
      ->type_name("COUNT");
  edit->add_option("--allow-tool", edited.allowed_tools,
                   "A tool that it can use without asking; can be repeated")
      ->allow_extra_args(false)
      ->type_name("TOOL");
}

void add_schedule(CommandLine& line) {
  CLI::App* schedule = line.app.add_subcommand("schedule", "Prompts that run at set times");
  schedule->require_subcommand(1)->fallthrough();
  auto& added = line.keep<ScheduleArguments>();
  CLI::App* add = line.command(
      *schedule, "add", "Add a schedule",
      "  steno schedule add nightly --cron '0 3 * * *' --zone Europe/Berlin 'update the deps'\n"
      "  steno schedule add check --every 30m --heartbeat 'read HEARTBEAT.md and do it'\n"
      "  steno schedule add remind --at '2026-12-01 09:00' --to 4fzk2q9x 'go on'\n"
      "Each run opens a session, but with --to and --heartbeat. The prompt is a fact, which no\n"
      "erasure reaches: put what is secret into a file that the agent reads.",
      added, prompting(schedule_add, &ScheduleArguments::prompt, true));
  add->add_option("NAME", added.name, "1 to 64 of a-z 0-9 . _ -")->required();
  add_prompt(add, "PROMPT", added.prompt, added.place, "The agent's task; -: read from stdin");
  CLI::App* when = add->add_option_group("When")->require_option(1);
  when->add_option("--at", added.at, "Once: a date and a time, as '2026-12-01 09:00'")
      ->type_name("TIME");
  CLI::Option* every =
      when->add_option("--every", added.every, "In steps from now on, as 90s, 1h30m, 1d");
  every->type_name("STEP");
  when->add_option("--cron", added.cron,
                   "Minute, hour, day of the month, month and day of the week, as '30 9 * * 1-5'")
      ->type_name("LINE");
  add->add_option("--zone", added.zone, "Time zone of --at and --cron; default: this machine's")
      ->type_name("ZONE")
      ->excludes(every);
  CLI::Option* to = add->add_option("--to", added.to,
                                    "Each run is a prompt for this session, which REF means now");
  to->type_name("REF");
  CLI::Option* heartbeat =
      add->add_flag("--heartbeat", added.is_heartbeat,
                    "Each run is a prompt for one session, which is opened if there is none")
          ->excludes(to);
  add->add_flag("--subagent", added.uses_subagent,
                "That session's agent leaves each run to a subagent, so that it stays short")
      ->needs(heartbeat);
  add->add_flag(
      "--skip-missed", added.skips_missed,
      "Times that were missed are skipped, but for the last one if it is less than a minute "
      "ago; default: they run once, together");
  add->add_flag("--overlap", added.overlaps,
                "It also runs while the session of the last run still works");
  add->add_flag("--multi-turn", added.is_multi_turn, "Sessions that it opens take further prompts")
      ->excludes(to);
  add_settings(line, *add, {"channel"});
  add->add_option("--max-turns", added.max_turns, "The agent's model calls; 0: no limit")
      ->check(within(0, base::kIntegerLimit - 1))
      ->type_name("COUNT")
      ->excludes(to);
  add->add_option("--allow-tool", added.allowed_tools,
                  "A tool that it can use without asking; can be repeated")
      ->allow_extra_args(false)
      ->type_name("TOOL")
      ->excludes(to);
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    Outcome<int> (*run)(const Config&, const ScheduleArguments&);
  };
  constexpr Kind kKinds[] = {
      {"ls", "List them, with what became of the last run of each",
       "  steno schedule ls\n  steno schedule ls -o json", schedule_list},
      {"rm", "Remove one; a run under way goes on", "  steno schedule rm nightly", schedule_remove},
      {"run", "Run one now", "  steno schedule run nightly", schedule_run},
      {"log", "List the last runs of one, and the times that were skipped",
       "  steno schedule log nightly", schedule_log},
      {"show", "Show one, with its whole prompt", "  steno schedule show nightly", schedule_show},
      {"pause", "Keep one, but do not run it", "  steno schedule pause nightly", schedule_pause},
      {"unpause", "Run one again that was paused; times that passed are not made up for",
       "  steno schedule unpause nightly", schedule_unpause},
  };
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<ScheduleArguments>();
    CLI::App* command = line.command(*schedule, kind.name, kind.help, kind.examples, arguments,
                                     reporting(kind.run));
    if (kind.run == schedule_list) continue;
    command->add_option("NAME", arguments.name, "As the list says")->required();
  }
  add_schedule_edit(line, *schedule);
}

}  // namespace

void add_schedule_commands(CommandLine& line) {
  add_schedule(line);
}

}  // namespace steno
