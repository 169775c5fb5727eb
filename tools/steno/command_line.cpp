// Declares every command, and the function that it calls. It is the only file that includes CLI11,
// which takes seconds to compile.
#include "tools/steno/command_line.hpp"

#include <any>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <list>

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/own_commands.hpp"
#include "tools/steno/operations/opening.hpp"
#include "tools/steno/operations/surfaces.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/error_line.hpp"

namespace steno {
namespace {

// Returns a setting's help: its purpose, the accepted values, and the default.
std::string help_of(std::string_view key) {
  std::string help;
  for (const ConfigKey& known : config_keys()) {
    if (known.name != key) continue;
    help = known.help;
    if (known.accepted != "a path") help.append(": ").append(known.accepted);
  }
  const std::string builtin = default_text(key);
  return builtin.empty() ? help : help + " [" + builtin + "]";
}

// Accepts whole numbers within these bounds; the help shows the option's own type name.
CLI::Validator within(std::int64_t least, std::int64_t most) {
  return CLI::Range(least, most).description("");
}

struct CommandLine;
// Becomes the program `steno-server` with the same arguments. Returns an exit code if it cannot.
int hand_over(const CommandLine& line);

// A command line while it is parsed. Commands write their values into objects that live as long.
struct CommandLine {
  const LogCommands* log_commands = nullptr;  // null: another program has them
  char** argv = nullptr;
  std::string program_folder;  // of this program
  CLI::App app{"steno: a session server for AI coding agents", "steno"};
  std::map<std::string, std::string> flags;  // settings given as flags, by key
  std::string keep_workers;                  // a flag with an optional value
  mode_t users_umask = 0;                    // as this process found it
  std::list<std::any> kept;                  // the commands' arguments
  std::function<int(const Config&)> chosen;

  // Returns new arguments of a command, which parsing fills.
  template <class Arguments>
  Arguments& keep() {
    return kept.emplace_back().emplace<Arguments>();
  }

  // Adds a subcommand that calls `run` with its arguments if it is chosen.
  template <class Arguments, class Run>
  CLI::App* command(CLI::App& parent, const std::string& name, const std::string& help,
                    const std::string& examples, Arguments& arguments, Run run) {
    CLI::App* added = parent.add_subcommand(name, help);
    added->fallthrough();
    added->footer("Examples:\n" + examples);
    added->final_callback([this, &arguments, run] {
      chosen = [&arguments, run](const Config& config) { return run(config, arguments); };
    });
    return added;
  }

  // Adds a subcommand that opens a log. `run` takes the function, too.
  template <class Arguments, class Function, class Run>
  CLI::App* log_command(CLI::App& parent, const std::string& name, const std::string& help,
                        const std::string& examples, Arguments& arguments,
                        Function LogCommands::*function, Run run) {
    return command(parent, name, help, examples, arguments,
                   [this, function, run](const Config& config, const Arguments& told) {
                     if (log_commands == nullptr) return hand_over(*this);
                     return run(log_commands->*function, config, told);
                   });
  }

  // Adds a flag for a setting.
  CLI::Option* setting(CLI::App& on, const std::string& key, const std::string& names) {
    const std::string help = help_of(key);
    return on
        .add_option_function<std::string>(
            names, [this, key](const std::string& value) { flags[key] = value; }, help)
        ->take_last()
        ->type_name("");
  }
};

// Prints a failure, and returns the exit code in either case.
int finish(const Outcome<int>& outcome) {
  if (outcome) return *outcome;
  if (!outcome.error().text.empty()) complain(outcome.error().exit_code, outcome.error().text);
  return outcome.error().exit_code;
}

int hand_over(const CommandLine& line) {
  const std::string program = line.program_folder + "/steno-server";
  ::umask(line.users_umask);
  ::execv(program.c_str(), line.argv);
  const int reason = errno;
  complain(kExitFailed, "cannot run " + program + ": " + std::strerror(reason) +
                            (reason == ENOENT ? "; put it in the folder of steno" : ""));
  return kExitFailed;
}

// Calls a command that returns an Outcome.
template <class Arguments>
int call(Outcome<int> (*run)(const Config&, const Arguments&), const Config& config,
         const Arguments& arguments) {
  return finish(run(config, arguments));
}

// Wraps a function that returns an Outcome as one that returns an exit code.
template <class Arguments>
auto reporting(Outcome<int> (*run)(const Config&, const Arguments&)) {
  return [run](const Config& config, const Arguments& arguments) {
    return call(run, config, arguments);
  };
}

void add_global_flags(CommandLine& line) {
  line.app.require_subcommand(1);
  line.app.set_help_flag("-h,--help", "Show this help");
  line.app.set_version_flag("--version", "steno " STENO_RELEASE, "Show the release");
  line.app
      .add_option_function<std::string>(
          "--config", [&line](const std::string& value) { line.flags["config"] = value; },
          "The configuration file")
      ->type_name("FILE")
      ->group("Configuration");
  for (const ConfigKey& key : config_keys()) {
    const std::string name(key.name);
    const std::string names = (name == "output" ? "-o," : "") + flag_name(name);
    if (name == "keep_workers") {
      line.app.add_flag(names, line.keep_workers, help_of(name))->group("Configuration");
    } else {
      line.setting(line.app, name, names)->group("Configuration");
    }
  }
  line.app.footer(
      "Every setting is also a key of the configuration file and a variable STENO_<KEY>;\n"
      "`steno config` shows which one is in force.\n"
      "Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 conflict, 5 refused, 6 no server,\n"
      "7 time-out, 8 budget, 9 log damaged, 10 torn tail, 11 wrong log, 75 busy, 130 interrupted.");
}

void add_config(CommandLine& line) {
  line.command(line.app, "config", "Show every setting and where it comes from",
               "  steno config\n  STENO_AGENT=ci steno config -o json", line.keep<NoArguments>(),
               reporting(show_config));
}

void add_version(CommandLine& line) {
  line.command(line.app, "version", "Show the release", "  steno version", line.keep<NoArguments>(),
               reporting(show_version));
}

// Adds the instructions and permissions that hold for a whole session.
template <class Arguments>
void add_bounds(CLI::App* command, Arguments& arguments, const std::string& without) {
  command->add_option("--max-turns", arguments.max_turns, "The agent's model calls; " + without)
      ->check(within(0, base::kIntegerLimit - 1))
      ->type_name("COUNT");
  command->add_option("--system-prompt", arguments.system_prompt, "Added to the agent's own");
  command
      ->add_option("--allow-tool", arguments.allowed_tools,
                   "A tool that it can use without asking; can be repeated")
      ->allow_extra_args(false)
      ->type_name("TOOL");
}

void add_spawn_flags(CommandLine& line, CLI::App* command, SpawnArguments& arguments) {
  command->add_option("PROMPT", arguments.prompt, "The agent's task; -: read from stdin")
      ->required();
  command->add_option("--name", arguments.name, "Its name; default: made from the prompt");
  command->add_flag("--multi-turn", arguments.is_multi_turn, "Let it take further prompts");
  command->add_flag("--continue-after-failure", arguments.continues_after_failure,
                    "With --multi-turn: give it waiting prompts also after a turn has failed");
  line.setting(*command, "engine", "--engine");
  line.setting(*command, "model", "--model");
  line.setting(*command, "workdir", "--workdir");
  line.setting(*command, "permission_mode", "--permission-mode");
  line.setting(*command, "budget_usd", "--budget-usd");
  for (const char* key : {"fallback_model", "background", "idle_timeout", "run_timeout",
                          "repeated_calls_max", "remind_after", "max_tokens", "max_tool_calls",
                          "max_output_bytes", "channel", "restart_policy", "start_within"}) {
    line.setting(*command, key, flag_name(key));
  }
  CLI::Option* parent = command->add_option(
      "--parent", arguments.parent,
      "The session whose subagent it is, and which hears of its end; @self: the agent's own");
  parent->type_name("REF");
  command->add_option("--user", arguments.user, "Whom it talks with: connector/user/channel")
      ->type_name("USER")
      ->excludes(parent);
  add_bounds(command, arguments, "0: no limit");
}

void add_run(CommandLine& line) {
  auto& arguments = line.keep<SpawnArguments>();
  CLI::App* command =
      line.command(line.app, "run", "Start a session, print what its agent says, and end with it",
                   "  steno run 'fix the failing test'\n"
                   "  git diff | steno run --budget-usd 0.50 -\n"
                   "  steno run --multi-turn 'let us refactor' < prompts.txt\n"
                   "Ctrl-C interrupts the turn; twice, it kills the session.",
                   arguments, reporting(run));
  add_spawn_flags(line, command, arguments);
  command->add_flag("--detach", arguments.is_detached, "Do not follow it; print its id");
}

void add_spawn(CommandLine& line) {
  auto& arguments = line.keep<SpawnArguments>();
  CLI::App* command = line.command(line.app, "spawn", "Start a session and return at once",
                                   "  steno spawn --name nightly 'update the dependencies'\n"
                                   "  steno spawn -o json 'count the tests' | jq -r .alias",
                                   arguments, reporting(spawn));
  add_spawn_flags(line, command, arguments);
}

// Adds a session reference: id, alias, name, or the start of one.
template <class Arguments>
void add_reference(CLI::App* command, Arguments& arguments) {
  command->add_option("REF", arguments.reference, "Session: id, alias, name, or the start of one")
      ->required();
}

void add_resume(CommandLine& line) {
  auto& arguments = line.keep<ResumeArguments>();
  CLI::App* command = line.command(line.app, "resume", "Go on with an ended session as a new one",
                                   "  steno resume 4fzk2q9x\n"
                                   "  steno resume nightly 'now the tests' --fork --follow\n"
                                   "  steno resume nightly --with-queue\n"
                                   "  steno resume 0b7c1d1e-58a1-4a63-9d0b-6c5f8a2b9c3d --follow\n"
                                   "Settings without a flag are those of the old session. An id "
                                   "that is no session's here is\nthat of one which the agent had "
                                   "outside of Steno, in the same folder.",
                                   arguments, reporting(resume));
  add_reference(command, arguments);
  command->add_option("PROMPT", arguments.prompt,
                      "Default: " + std::string(kResumePrompt) +
                          " With --with-queue: the first prompt that waited");
  command->add_flag("--fork", arguments.is_fork,
                    "Leave the old one unchanged, so that it can be resumed again");
  command->add_flag("--multi-turn", arguments.is_multi_turn,
                    "Let it take further prompts, also if the old one did not");
  command->add_flag("--with-queue", arguments.takes_queue,
                    "Give it the prompts that still waited when the old one ended");
  command->add_flag("--follow", arguments.is_followed, "Print what its agent says, as run does");
  command->add_option("--name", arguments.name, "Its name; default: made from the prompt");
  for (const char* key : {"engine", "model", "fallback_model", "workdir", "permission_mode",
                          "budget_usd", "background", "idle_timeout", "run_timeout",
                          "repeated_calls_max", "remind_after", "max_tokens", "max_tool_calls",
                          "max_output_bytes", "channel", "restart_policy", "start_within"}) {
    line.setting(*command, key, flag_name(key));
  }
  add_bounds(command, arguments, "0: as the old session");
}

void add_send(CommandLine& line) {
  auto& arguments = line.keep<SendArguments>();
  CLI::App* command = line.command(line.app, "send", "Give a multi-turn session a further prompt",
                                   "  steno send nightly 'and the changelog'\n"
                                   "  steno send nightly --interrupt --wait 'stop, do this'",
                                   arguments, reporting(send));
  add_reference(command, arguments);
  command->add_option("PROMPT", arguments.prompt, "The prompt; -: read from stdin")->required();
  command->add_flag("--interrupt", arguments.is_interrupting, "End the turn that runs now");
  line.setting(*command, "start_within", "--start-within");
  auto* wait = command->add_flag("--wait", arguments.waits,
                                 "Print what the agent says in answer, until the turn ends");
  command
      ->add_flag("--all", arguments.shows_all,
                 "With --wait: print what it says in other turns, too")
      ->needs(wait);
}

void add_message(CommandLine& line) {
  auto& arguments = line.keep<MessageArguments>();
  CLI::App* command = line.command(
      line.app, "message", "Send a prompt from one session to another",
      "  steno message 'the tests pass'\n"
      "  steno message --from nightly --to @heartbeat 'done'\n"
      "An agent that calls this needs no --from. A subagent's message goes to its parent, any\n"
      "other to the newest session of a user (@foreground).",
      arguments, reporting(message));
  command->add_option("PROMPT", arguments.prompt, "The message; -: read from stdin")->required();
  command->add_option("--to", arguments.to, "The session that gets it")->type_name("REF");
  command
      ->add_option("--from", arguments.from,
                   "The session that sends it; default: the one of the variable STENO_SESSION")
      ->type_name("REF");
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
      added, reporting(schedule_add));
  add->add_option("NAME", added.name, "1 to 64 of a-z 0-9 . _ -")->required();
  add->add_option("PROMPT", added.prompt, "The agent's task; -: read from stdin")->required();
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
  add->add_flag("--skip-missed", added.skips_missed,
                "Times at which no server ran are skipped; default: they run once, together");
  add->add_flag("--overlap", added.overlaps,
                "It also runs while the session of the last run still works");
  add->add_flag("--multi-turn", added.is_multi_turn, "Sessions that it opens take further prompts")
      ->excludes(to);
  for (const char* key :
       {"engine", "model", "workdir", "permission_mode", "budget_usd", "background", "idle_timeout",
        "run_timeout", "max_tokens", "max_tool_calls", "max_output_bytes", "channel"}) {
    line.setting(*add, key, flag_name(key))->excludes(to);
  }
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
  };
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<ScheduleArguments>();
    CLI::App* command = line.command(*schedule, kind.name, kind.help, kind.examples, arguments,
                                     reporting(kind.run));
    if (kind.run == schedule_list) continue;
    command->add_option("NAME", arguments.name, "As the list says")->required();
  }
}

void add_kill(CommandLine& line) {
  auto& arguments = line.keep<KillArguments>();
  CLI::App* command =
      line.command(line.app, "kill", "End a session at once",
                   "  steno kill 4fzk2q9x\n  steno kill --all", arguments, reporting(kill));
  CLI::Option* reference = command->add_option("REF", arguments.reference,
                                               "Session: id, alias, name, or the start of one");
  CLI::Option* all =
      command->add_flag("--all", arguments.is_all, "Every live session of the agent");
  all->excludes(reference);
}

void add_session_commands(CommandLine& line) {
  struct Simple {
    const char* name;
    const char* help;
    const char* examples;
    Outcome<int> (*run)(const Config&, const ReferenceArguments&);
  };
  constexpr Simple kSimple[] = {
      {"show", "Show one session", "  steno show nightly\n  steno show 4fzk -o json", show},
      {"interrupt", "End the turn that runs now", "  steno interrupt nightly", interrupt},
      {"continue", "Give a session's agent the prompts that wait behind a failed turn",
       "  steno continue nightly", continue_session},
      {"foreground", "Show a session's output to a channel as it comes, from where it last was",
       "  steno foreground nightly --channel 'telegram|1234'\n"
       "What the channel has not seen is sent at once, by the program of notify_command.",
       foreground},
      {"background", "Stop showing a session's output to a channel",
       "  steno background nightly --channel 'telegram|1234'", background},
  };
  for (const Simple& simple : kSimple) {
    auto& arguments = line.keep<ReferenceArguments>();
    CLI::App* command = line.command(line.app, simple.name, simple.help, simple.examples, arguments,
                                     reporting(simple.run));
    add_reference(command, arguments);
    const bool is_about_channel = simple.run == foreground || simple.run == background;
    if (is_about_channel) line.setting(*command, "channel", "--channel");
  }
}

void add_close(CommandLine& line) {
  auto& arguments = line.keep<CloseArguments>();
  CLI::App* command =
      line.command(line.app, "close", "Let a session complete once its prompts are done",
                   "  steno close nightly\n  steno close nightly --now\n"
                   "Prompts that wait are still done, and tasks in the background waited for.",
                   arguments, reporting(close));
  add_reference(command, arguments);
  command->add_flag("--now", arguments.is_now,
                    "Do not wait for tasks that its agent has in the background");
}

void add_erase(CommandLine& line) {
  auto& arguments = line.keep<EraseArguments>();
  CLI::App* command = line.command(
      line.app, "erase", "Erase a session's prompts and answers from the log and all its files",
      "  steno erase nightly --wait\n"
      "  steno watch nightly --from start; steno erase nightly --event 1207 --event 1209\n"
      "Prompts, answers, tool inputs and outputs go. Facts stay: who did what and when, and the\n"
      "session's name, folder, model and the names of its tools. Files that an agent keeps "
      "outside\n"
      "Steno, such as Claude Code's own transcripts, are not touched.",
      arguments, reporting(erase));
  add_reference(command, arguments);
  command
      ->add_option("--event", arguments.positions,
                   "Only the text of the event at this position; can be repeated")
      ->check(within(1, base::kIntegerLimit - 1))
      ->allow_extra_args(false)
      ->type_name("POSITION");
  command->add_flag("--wait", arguments.waits, "Return once no file holds the text any more");
  command->add_flag("--yes,-y", arguments.is_confirmed, "Do not ask for confirmation");
}

void add_backup(CommandLine& line) {
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    Outcome<int> (*run)(const Config&, const BackupArguments&);
  };
  constexpr Kind kKinds[] = {
      {"create", "Copy the log while it is written, and prove the copy",
       "  steno backup create /mnt/usb/steno-monday\n"
       "  steno backup create --name monday /mnt/usb/1\n"
       "Each copy needs a folder of its own: one that holds a backup is never written again.\n"
       "A nightly job can name folders by their date.",
       backup_create},
      {"list", "List the copies that erasures reach into", "  steno backup list", backup_list},
      {"forget", "Declare a copy gone, so that erasures no longer wait for it",
       "  steno backup forget monday", backup_forget},
  };
  CLI::App* backup = line.app.add_subcommand("backup", "Make and look after copies of the log");
  backup->require_subcommand(1)->fallthrough();
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<BackupArguments>();
    CLI::App* command =
        line.command(*backup, kind.name, kind.help, kind.examples, arguments, reporting(kind.run));
    if (kind.run == backup_create) {
      command->add_option("DIR", arguments.folder, "A folder that is missing or empty")->required();
      command->add_option("--name", arguments.name, "Its name; default: the folder's own");
      command->add_flag("--share-files", arguments.shares_files,
                        "On the log's own file system: share files with it instead of copying "
                        "them. Takes no time or space, but one bad sector then damages both");
    } else if (kind.run == backup_forget) {
      command->add_option("NAME", arguments.name, "As the list says")->required();
    }
  }
  auto& verified = line.keep<ReplayArguments>();
  const auto verify = [](auto run, const Config& config, ReplayArguments told) {
    told.is_json = config.output != OutputFormat::table;
    return run(told);
  };
  line.log_command(
          *backup, "verify", "Prove a copy from its first event to its last; needs no server",
          "  steno backup verify /mnt/usb/steno-monday", verified, &LogCommands::verify, verify)
      ->add_option("DIR", verified.folder, "A backup")
      ->required();
}

void add_archive(CommandLine& line) {
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    Outcome<int> (*run)(const Config&, const ArchiveArguments&);
  };
  constexpr Kind kKinds[] = {
      {"create", "Move the beginning of the log into a folder of its own",
       "  steno archive create /mnt/usb/steno-2026 --before 2027-01-01\n"
       "  steno archive create --name spring /srv/archives/spring --before 90d\n"
       "The beginning is copied and proved, its end is signed, and only then is it removed from\n"
       "the log. Events from the oldest live session on stay. Texts of earlier sessions are in "
       "the\n"
       "archive:\n"
       "  steno replay state --archive /mnt/usb/steno-2026 --session nightly",
       archive_create},
      {"list", "List the archives, which erasures reach into", "  steno archive list",
       archive_list},
      {"forget", "Declare an archive gone, so that erasures no longer wait for it",
       "  steno archive forget spring", archive_forget},
  };
  CLI::App* archive = line.app.add_subcommand("archive", "Move the log's beginning elsewhere");
  archive->require_subcommand(1)->fallthrough();
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<ArchiveArguments>();
    CLI::App* command =
        line.command(*archive, kind.name, kind.help, kind.examples, arguments, reporting(kind.run));
    if (kind.run == archive_create) {
      command->add_option("DIR", arguments.folder, "A folder that is missing or empty")->required();
      command->add_option("--name", arguments.name, "Its name; default: the folder's own");
      command
          ->add_option("--before", arguments.before,
                       "Keep events from this position, time or age on; whole blocks only")
          ->required()
          ->type_name("POSITION|TIME|AGE");
    } else if (kind.run == archive_forget) {
      command->add_option("NAME", arguments.name, "As the list says")->required();
    }
  }
}

void add_anchor(CommandLine& line) {
  CLI::App* anchor = line.app.add_subcommand("anchor", "Have the server sign the log's end");
  anchor->require_subcommand(1)->fallthrough();
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    Outcome<int> (*run)(const Config&, const AnchorArguments&);
  };
  constexpr Kind kKinds[] = {
      {"create", "Sign the log up to its end, and record the signature in it",
       "  steno anchor create\n"
       "  steno anchor create --to /mnt/usb/steno.anchor\n"
       "With the file, anyone can later detect that the log was edited or shortened:\n"
       "  steno replay verify --anchor /mnt/usb/steno.anchor --key <fingerprint>",
       anchor_create},
      {"show", "Show the last one", "  steno anchor show\n  steno anchor show --to monday.anchor",
       anchor_show},
  };
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<AnchorArguments>();
    line.command(*anchor, kind.name, kind.help, kind.examples, arguments, reporting(kind.run))
        ->add_option("--to", arguments.file, "Write a copy into this file, for storage elsewhere")
        ->type_name("FILE");
  }
}

void add_notify(CommandLine& line) {
  CLI::App* notify =
      line.app.add_subcommand("notify", "Notifications that have not reached their targets");
  notify->require_subcommand(1)->fallthrough();
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    const char* named;  // help of the positional argument; null: there is none
    Outcome<int> (*run)(const Config&, const NotifyArguments&);
  };
  constexpr Kind kKinds[] = {
      {"ls", "List them, the oldest first, with the last error of each",
       "  steno notify ls\n  steno notify ls -o json | jq '.notifications[].error'", nullptr,
       notify_list},
      {"retry", "Try one again now", "  steno notify retry 1234\n  steno notify retry --all",
       "Its number, as the list says", notify_retry},
      {"drop", "Do not deliver one any more", "  steno notify drop 1234\n  steno notify drop --all",
       "Its number, as the list says", notify_drop},
  };
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<NotifyArguments>();
    CLI::App* command =
        line.command(*notify, kind.name, kind.help, kind.examples, arguments, reporting(kind.run));
    if (kind.named == nullptr) continue;
    command->add_option("NUMBER", arguments.notification, kind.named)->check(CLI::PositiveNumber);
    command->add_flag("--all", arguments.is_all, "Each one that was given up");
  }
}

void add_restore(CommandLine& line) {
  auto& arguments = line.keep<RestoreArguments>();
  CLI::App* command = line.log_command(
      line.app, "restore", "Make a new home from a backup; needs no server",
      "  steno restore /mnt/usb/steno-monday --to ~/steno-again\n"
      "  steno --home ~/steno-again serve\n"
      "The copy is proved first. A new epoch begins, so that nobody who followed the old log\n"
      "goes on in this one without noticing.",
      arguments, &LogCommands::restore, call<RestoreArguments>);
  command->add_option("DIR", arguments.folder, "A backup")->required();
  command->add_option("--to", arguments.home, "The new home; must not hold a log yet")
      ->required()
      ->type_name("HOME");
}

void add_list(CommandLine& line) {
  auto& arguments = line.keep<ListArguments>();
  CLI::App* command =
      line.command(line.app, "ls", "List sessions, the newest first",
                   "  steno ls\n  steno ls --status running,starting\n  steno ls --all-agents -n 5",
                   arguments, reporting(list));
  command
      ->add_option("--status", arguments.statuses,
                   "Only sessions that are starting, running, completed, failed, killed")
      ->delimiter(',');
  command->add_flag("--all-agents", arguments.all_agents, "Of all agents");
  CLI::Option* count = command->add_option("-n", arguments.count, "At most this many, 1 to 1000000")
                           ->check(within(1, 1'000'000))
                           ->type_name("COUNT")
                           ->capture_default_str();
  command->add_flag("--all", arguments.is_all, "All sessions, back to the first")->excludes(count);
  command->add_flag("--tree", arguments.is_tree, "Subagents below their parents");
}

void add_attention(CommandLine& line) {
  auto& arguments = line.keep<AttentionArguments>();
  CLI::App* command = line.command(
      line.app, "attention", "List the sessions that need a person, the longest waiting first",
      "  steno attention\n  steno attention --dismiss nightly\n"
      "  steno attention --all-agents -o jsonl\n"
      "They wait for input, are stuck or over budget, or have failed. One that is dismissed is "
      "listed\nagain when it comes to need a person anew.",
      arguments, reporting(attention));
  CLI::Option* dismiss =
      command
          ->add_option("--dismiss", arguments.dismissed,
                       "You know of this session: do not list it; can be repeated")
          ->allow_extra_args(false)
          ->type_name("REF");
  command
      ->add_flag("--dismiss-all", arguments.dismisses_all, "You know of all that would be listed")
      ->excludes(dismiss);
  command->add_flag("--all-agents", arguments.all_agents, "Of all agents")->excludes(dismiss);
}

void add_output(CommandLine& line) {
  auto& arguments = line.keep<OutputArguments>();
  CLI::App* command = line.command(line.app, "output", "Print what a session's agent said",
                                   "  steno output nightly\n  steno output nightly --follow\n"
                                   "  steno output 4fzk --all -o jsonl\n"
                                   "  steno output 4fzk --kind said --kind failure",
                                   arguments, reporting(output));
  add_reference(command, arguments);
  CLI::Option* count =
      command
          ->add_option("-n", arguments.count,
                       "The last blocks that the agent said, and everything between them")
          ->check(within(1, 100'000))
          ->type_name("COUNT")
          ->capture_default_str();
  command->add_flag("--all", arguments.is_all, "From the beginning")->excludes(count);
  command
      ->add_option(
          "--kind", arguments.kinds,
          "Only items of this kind: prompt, said, thought, tool_call, tool_result, failure, "
          "or subagent for all that a subagent of the agent said and did; can be repeated")
      ->allow_extra_args(false)
      ->type_name("KIND");
  command->add_flag("--follow,-f", arguments.is_followed, "Go on until the session ends");
}

void add_stats(CommandLine& line) {
  auto& arguments = line.keep<StatsArguments>();
  CLI::App* command =
      line.command(line.app, "stats", "Show totals over all sessions",
                   "  steno stats\n  steno stats --all-agents -o json\n"
                   "  steno stats -o prometheus > /var/lib/node_exporter/steno.prom",
                   arguments, reporting(stats));
  command->add_flag("--all-agents", arguments.all_agents, "Of all agents");
}

void add_watch(CommandLine& line) {
  auto& arguments = line.keep<WatchArguments>();
  CLI::App* command = line.command(line.app, "watch", "Print events as they are recorded",
                                   "  steno watch\n  steno watch nightly --from start\n"
                                   "  steno watch --all-agents --from 1200 -o jsonl\n"
                                   "  steno watch --attention",
                                   arguments, reporting(watch));
  command->add_option("REF", arguments.reference, "Only this session; default: all of the agent");
  CLI::Option* from =
      command->add_option("--from", arguments.from, "A position, start or now (default)");
  command
      ->add_flag("--attention", arguments.is_about_attention,
                 "Instead of events, each session that needs a person, and each that comes to "
                 "need one; on a terminal with a bell")
      ->excludes(from);
  command->add_flag("--all-agents", arguments.all_agents, "Events of all agents and the server");
  command->add_flag("--no-texts", arguments.leaves_out,
                    "Do not fetch texts that are too long for the feed");
  command->add_option("-n", arguments.count, "Stop after this many; 0: never")
      ->check(within(0, base::kIntegerLimit - 1))
      ->type_name("COUNT")
      ->capture_default_str();
}

void add_doctor(CommandLine& line) {
  auto& arguments = line.keep<DoctorArguments>();
  line.log_command(
          line.app, "doctor", "Say what is wrong here and what to do; needs no server",
          "  steno doctor\n  steno --home /tmp/try doctor -o json\n  steno doctor --flight",
          arguments, &LogCommands::doctor, call<DoctorArguments>)
      ->add_flag("--flight", arguments.shows_flight,
                 "Show the last steps of the server's loop, also after it ended by a fault");
}

void add_chat(CommandLine& line) {
  auto& arguments = line.keep<ChatArguments>();
  std::string examples =
      "  steno chat '/claude --name docs write the manual'\n"
      "  steno chat --sender 'telegram|1234' '/claude_sessions running'\n"
      "Commands:";
  for (const std::string& usage : chat_usages()) examples += "\n  " + usage;
  CLI::App* command = line.command(line.app, "chat", "Do what a line of a chat asks for", examples,
                                   arguments, reporting(chat));
  command->add_option("LINE", arguments.line, "The line; -: read from stdin")->required();
  command
      ->add_option("--sender", arguments.sender,
                   "Where it was said; must be one of the chat_senders of the settings")
      ->type_name("PLACE");
  line.setting(*command, "channel", "--channel");
}

void add_mcp(CommandLine& line) {
  line.command(line.app, "mcp", "Give an agent tools to run sessions, over stdin and stdout",
               "  claude mcp add steno -- steno mcp\n"
               "It speaks the Model Context Protocol.",
               line.keep<McpArguments>(), reporting(mcp));
}

void add_gateway(CommandLine& line) {
  auto& arguments = line.keep<GatewayArguments>();
  CLI::App* command = line.command(line.app, "gateway", "Serve JSON-RPC 2.0 on the bus",
                                   "  steno gateway\n"
                                   "  steno --gateway true serve\n"
                                   "A request is one ZeroMQ frame to gateway.sock in the run "
                                   "folder, and so is its answer.",
                                   arguments, reporting(gateway));
  command->add_option("--parent", arguments.parent, "")
      ->check(within(0, base::kIntegerLimit - 1))
      ->group("");  // given by a server
}

mode_t octal_mask(const std::string& text) {
  const bool is_octal = text.find_first_not_of("01234567") == std::string::npos;
  if (text.empty() || text.size() > 4 || !is_octal) {
    throw CLI::ValidationError("--agent-umask",
                               "takes an octal number from 0 to 0777, not '" + text + "'");
  }
  return static_cast<mode_t>(std::stoul(text, nullptr, 8)) & 0777;
}

void add_serve(CommandLine& line) {
  auto& arguments = line.keep<ServeArguments>();
  CLI::App* command = line.log_command(
      line.app, "serve", "Run the server and its worker until told to stop",
      "  steno serve\n  steno --home /tmp/try serve\n  steno serve --max-sessions 20", arguments,
      &LogCommands::serve,
      [](auto run, const Config& config, const ServeArguments& told) { return run(config, told); });
  command->add_option("--role", arguments.role, "Run one role alone: server or worker")
      ->check(CLI::IsMember({"server", "worker"}))
      ->type_name("ROLE");
  command->add_flag("--accept-clock", arguments.accept_clock,
                    "Serve although the clock is far behind the log's last event");
  command->add_flag("--existing", arguments.needs_log,
                    "Refuse a data folder that holds no log, such as a disk that is not mounted");
  command->add_option("--agent-files", arguments.agent_files, "")
      ->check(within(0, base::kIntegerLimit - 1))
      ->group("");  // given to a worker by its server
  arguments.agent_umask = line.users_umask;
  command
      ->add_option_function<std::string>(
          "--agent-umask",
          [&arguments](const std::string& mask) { arguments.agent_umask = octal_mask(mask); },
          "Permissions that files made by agents withhold; default: as in this shell")
      ->type_name("OCTAL");
}

void add_replay(CommandLine& line) {
  struct Kind {
    const char* name;
    const char* help;
    const char* examples;
    int (*LogCommands::*run)(const ReplayArguments&);
  };
  constexpr Kind kKinds[] = {
      {"verify", "Prove that the log is whole",
       "  steno replay verify\n  steno replay verify /backup/steno", &LogCommands::verify},
      {"state", "Show sessions as they were at a position or time",
       "  steno replay state --at 1200\n"
       "  steno replay state --at 2026-11-20T15:00:00Z --session 4fzk2q9x",
       &LogCommands::state},
      {"salvage", "Make a new log from the proved parts of a damaged one; list what is missing",
       "  steno replay salvage --to /srv/steno-new/data\n"
       "  steno replay salvage /backup/data --to /srv/steno-new/data -o json",
       &LogCommands::salvage},
      {"export", "Print the whole log as JSON lines",
       "  steno replay export > log.jsonl\n  steno replay export --without-content | less",
       &LogCommands::export_lines},
      {"import", "Make a log from the output of export",
       "  steno replay import log.jsonl --to /srv/steno-new/data", &LogCommands::import_lines},
      {"diff", "Compare two positions, two logs, or a projection with the log",
       "  steno replay diff --from 1200 --to 1300\n"
       "  steno replay diff --from 2026-11-20 --session 4fzk2q9x\n"
       "  steno replay diff /srv/steno/data /backup/data\n"
       "  steno replay diff --projection metrics",
       &LogCommands::diff},
      {"stats", "Count events and bytes by type and agent", "  steno replay stats",
       &LogCommands::stats},
      {"rebuild", "Fold the projections anew and compare them with the live ones",
       "  steno replay rebuild\n  steno replay rebuild --projection metrics",
       &LogCommands::rebuild},
  };
  CLI::App* replay = line.app.add_subcommand("replay", "Read a log offline; never repairs it");
  replay->require_subcommand(1)->fallthrough();
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<ReplayArguments>();
    const auto run = [](auto kind_run, const Config& config, ReplayArguments told) {
      if (told.folder.empty()) told.folder = config.data_folder;
      if (is_flag(config, "agent")) told.agent = config.agent;
      told.is_json = config.output != OutputFormat::table;
      return kind_run(told);
    };
    CLI::App* command =
        line.log_command(*replay, kind.name, kind.help, kind.examples, arguments, kind.run, run);
    if (kind.run == &LogCommands::import_lines) {
      command->add_option("FILE", arguments.file, "The lines; -: read from stdin")->required();
    } else {
      command->add_option("FOLDER", arguments.folder, "A data folder; default: the configured one");
    }
    if (kind.run != &LogCommands::import_lines) {
      command
          ->add_option("--archive", arguments.archives,
                       "Read this archive as the log's beginning; can be repeated")
          ->allow_extra_args(false)
          ->type_name("DIR");
    }
    if (kind.run == &LogCommands::verify) {
      command->add_option("--checkpoint", arguments.checkpoint,
                          "A checkpoint that verify printed earlier: the log must still hold it");
      command
          ->add_option("--anchor", arguments.anchor,
                       "A file that anchor create wrote: the log must still hold it")
          ->type_name("FILE");
      command
          ->add_option("--key", arguments.keys,
                       "Accept anchors of this key only: the fingerprint that was written down; "
                       "can be repeated")
          ->allow_extra_args(false)
          ->type_name("FINGERPRINT");
    } else if (kind.run == &LogCommands::state) {
      command->add_option("--at", arguments.at, "A position or a time; default: the end");
      command->add_option("--session", arguments.session, "Only this one; default: all");
    } else if (kind.run == &LogCommands::salvage || kind.run == &LogCommands::import_lines) {
      command->add_option("--to", arguments.target, "The new log's data folder: new, or empty")
          ->required();
      if (kind.run == &LogCommands::import_lines) {
        command->add_flag("--exact", arguments.is_exact,
                          "Begin no epoch: for a copy that no server will write");
      }
    } else if (kind.run == &LogCommands::export_lines) {
      command->add_flag_callback(
          "--without-content", [&arguments] { arguments.with_content = false; },
          "Facts only; cannot be imported");
    } else if (kind.run == &LogCommands::diff) {
      command->add_option("OTHER", arguments.other, "Another log's data folder");
      command->add_option("--from", arguments.from, "A position or a time; 0: the start");
      command->add_option("--to", arguments.at, "A later one; default: the end");
      command->add_option("--session", arguments.session, "Only this one; default: all");
      command->add_option("--projection", arguments.projection, "Compare its rows with the log");
    } else if (kind.run == &LogCommands::rebuild) {
      command->add_option("--projection", arguments.projection, "Only this one; default: all");
      command->add_option("--to", arguments.to, "The last position to fold")
          ->check(within(1, base::kIntegerLimit - 1))
          ->type_name("POSITION");
    }
  }
}

constexpr void (*kCommands[])(CommandLine&) = {
    add_run,      add_spawn,   add_list,      add_kill,    add_close,  add_session_commands,
    add_output,   add_send,    add_resume,    add_erase,   add_backup, add_anchor,
    add_archive,  add_restore, add_stats,     add_watch,   add_doctor, add_config,
    add_version,  add_serve,   add_attention, add_replay,  add_notify, add_message,
    add_schedule, add_chat,    add_mcp,       add_gateway,
};

// The order and groups of commands in the help.
struct Group {
  const char* name;
  std::initializer_list<const char*> commands;
};
const Group kGroups[] = {
    {"Sessions",
     {"run",      "spawn",  "send",   "interrupt", "continue",   "close",      "kill",
      "resume",   "ls",     "show",   "attention", "foreground", "background", "message",
      "schedule", "notify", "output", "watch",     "stats",      "chat",       "mcp"}},
    {"Server", {"serve", "gateway", "doctor", "config", "version"}},
    {"The log", {"erase", "backup", "restore", "archive", "anchor", "replay"}},
};

void group_commands(CLI::App& app) {
  for (const Group& group : kGroups) {
    for (const char* command : group.commands) app.get_subcommand(command)->group(group.name);
  }
}

// Returns what is wrong with the command line. CLI11 itself reports an unknown command or option
// only as a missing required one.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(true);
  const bool lacks_something = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!lacks_something || unknown.empty()) return error.what();
  if (!unknown.front().starts_with('-')) return "unknown command '" + unknown.front() + "'";
  return "unknown option '" + unknown.front() +
         "' (put a prompt that begins with - behind --, as in steno run -- '-v is broken')";
}

// True if JSON output is wanted; called before the command line is parsed.
bool asks_for_json(int argc, char** argv) {
  const char* variable = std::getenv("STENO_OUTPUT");
  std::string form = variable != nullptr ? variable : "";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    const bool is_next = (word == "-o" || word == "--output") && i + 1 < argc;
    if (is_next) form = argv[i + 1];
    if (word.starts_with("--output=")) form = word.substr(9);
    if (word.starts_with("-o") && word.size() > 2) form = word.substr(word[2] == '=' ? 3 : 2);
  }
  return form == "json" || form == "jsonl";
}

int run_main(int argc, char** argv, const LogCommands* log_commands) {
  CommandLine line;
  line.log_commands = log_commands;
  line.argv = argv;
  // Files made here, by any library, are private to the user, since they hold prompts and answers.
  line.users_umask = ::umask(077);
  add_global_flags(line);
  for (const auto add : kCommands) add(line);
  group_commands(line.app);
  if (asks_for_json(argc, argv)) make_errors_json();
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help is an "error" that exits with 0. All other codes, 105 and the like, mean wrong usage.
    if (error.get_exit_code() == 0) return line.app.exit(error);
    complain(kExitUsage, usage_error(line.app, error) + "; see `steno --help`");
    return kExitUsage;
  }
  if (!line.keep_workers.empty()) line.flags["keep_workers"] = line.keep_workers;
  ConfigInput input = process_input(std::move(line.flags));
  line.program_folder = input.program_folder;
  auto config = load_config(input);
  if (!config) {
    complain(kExitUsage, base::describe(config.error()));
    return kExitUsage;
  }
  if (config->output == OutputFormat::prometheus && !line.app.got_subcommand("stats")) {
    if (is_flag(*config, "output")) {
      complain(kExitUsage, "the output format prometheus is only for steno stats");
      return kExitUsage;
    }
    config->output = OutputFormat::table;
  }
  // A file can ask for it, too.
  const bool wants_json = config->output != OutputFormat::table;
  if (wants_json && config->output != OutputFormat::prometheus) make_errors_json();
  const int code = line.chosen(*config);
  return flush() || code != kExitOk ? code : kExitFailed;
}

}  // namespace

int run_command_line(int argc, char** argv, const LogCommands* log_commands) {
  // Only a library or lack of memory can throw here, and no caller is left to handle it.
  try {
    return run_main(argc, argv, log_commands);
  } catch (const std::exception& error) {
    complain(kExitFailed, error.what());
    return kExitFailed;
  }
}

}  // namespace steno
