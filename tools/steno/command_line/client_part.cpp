// Declares the commands that ask a server, or none.
#include "eventlog/base/digits.hpp"
#include "eventlog/domain/conversation/entry_fields.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/own_commands.hpp"
#include "tools/steno/client/session_filter.hpp"
#include "tools/steno/client/task_to_give.hpp"
#include "tools/steno/command_line/parts.hpp"
#include "tools/steno/command_line/prompt_flags.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/operations/opening.hpp"
#include "workers/operations/operations.hpp"
#include "workers/operations/surfaces.hpp"

namespace steno {
namespace {

void add_version(CommandLine& line) {
  line.command(line.app, "version",
               "Show the release; as JSON also its commit, log format and protocol",
               "  steno version\n  steno version -o json", line.keep<NoArguments>(),
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

// Adds a flag for each setting of a session, and for those that are said with them.
void add_settings(CommandLine& line, CLI::App& command,
                  std::initializer_list<const char*> besides) {
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    line.setting(command, std::string(setting.key), flag_name(setting.key));
  }
  for (const char* key : besides) line.setting(command, key, flag_name(key));
}

template <class Arguments>
void add_files(CLI::App* command, Arguments& arguments) {
  command
      ->add_option("--file", arguments.files,
                   "An image, PDF or text that the agent is given before the prompt; can be "
                   "repeated; -: read from stdin")
      ->allow_extra_args(false)
      ->type_name("PATH");
}

void add_spawn_flags(CommandLine& line, CLI::App* command, SpawnArguments& arguments) {
  command
      ->add_option("--template", arguments.template_name,
                   "Settings of [templates.NAME] in .steno.toml, the project's file here or above; "
                   "none: do without that file")
      ->type_name("NAME");
  command->parse_complete_callback([command, &arguments] {
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() > 0) arguments.said.push_back(option->get_name());
    }
  });
  add_files(command, arguments);
  command->add_option("--name", arguments.name, "Its name; default: made from the prompt");
  command->add_option("--label", arguments.labels, "A label, to find it again by; can be repeated")
      ->allow_extra_args(false)
      ->type_name("LABEL");
  command->add_flag("--multi-turn", arguments.is_multi_turn, "Let it take further prompts");
  command->add_flag("--continue-after-failure", arguments.continues_after_failure,
                    "With --multi-turn: give it waiting prompts also after a turn has failed");
  command->add_flag("--worktree", arguments.worktree,
                    "A working tree of git for itself, on a branch steno/NAME; --worktree=NAME "
                    "names it, else its name or a new word does");
  add_settings(line, *command, {"channel", "start_within"});
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
                   "  steno run\n"
                   "  steno run 'fix the failing test'\n"
                   "  git diff | steno run --budget-usd 0.50 -\n"
                   "  steno run --multi-turn 'let us refactor' < prompts.txt\n"
                   "Ctrl-C interrupts the turn; twice, it kills the session. Ctrl-\\ leaves it at\n"
                   "work. With --multi-turn each line typed is a prompt, and Ctrl-D closes it.",
                   arguments, prompting(run, &SpawnArguments::prompt, false));
  add_prompt(command, "PROMPT", arguments.prompt, arguments.place,
             "The agent's task; -: read from stdin. Left out at a terminal: a session to talk "
             "with, as attach shows it");
  add_spawn_flags(line, command, arguments);
  command->add_flag("-d,--detach", arguments.is_detached, "Do not follow it; print its id");
  line.setting(*command, "worktree_at_end", flag_name("worktree_at_end"));
}

void add_spawn(CommandLine& line) {
  auto& arguments = line.keep<SpawnArguments>();
  CLI::App* command = line.command(line.app, "spawn", "Start a session and return at once",
                                   "  steno spawn --name nightly 'update the dependencies'\n"
                                   "  steno spawn -o json 'count the tests' | jq -r .alias\n"
                                   "  steno spawn --prompt-file task.md\n"
                                   "  steno spawn --edit",
                                   arguments, prompting(spawn, &SpawnArguments::prompt, true));
  add_prompt(command, "PROMPT", arguments.prompt, arguments.place,
             "The agent's task; -: read from stdin");
  add_spawn_flags(line, command, arguments);
}

// Adds a session reference: id, alias, name, or the start of one.
template <class Arguments>
void add_reference(CLI::App* command, Arguments& arguments) {
  command
      ->add_option("REF", arguments.reference,
                   "Session: id, alias, name, the start of one, or a conversation")
      ->required();
}

template <class Arguments>
CLI::Option* add_references(CLI::App* command, Arguments& arguments) {
  return command->add_option(
      "REF", arguments.references,
      "Sessions: id, alias, name, the start of one, or a conversation. A failure for one leaves "
      "the others alone");
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
                                   arguments, prompting(resume, &ResumeArguments::prompt, false));
  add_reference(command, arguments);
  add_prompt(command, "PROMPT", arguments.prompt, arguments.place,
             "The prompt; -: read from stdin. Default: " + std::string(workers::kResumePrompt) +
                 " With --with-queue: the first prompt that waited");
  add_files(command, arguments);
  command->add_flag("--fork", arguments.is_fork,
                    "Leave the old one unchanged, so that it can be resumed again");
  command->add_flag("--multi-turn", arguments.is_multi_turn,
                    "Let it take further prompts, also if the old one did not");
  command->add_flag("--with-queue", arguments.takes_queue,
                    "Give it the prompts that still waited when the old one ended");
  command->add_flag("-f,--follow", arguments.is_followed, "Print what its agent says, as run does");
  command->add_option("--name", arguments.name, "Its name; default: made from the prompt");
  add_settings(line, *command, {"channel", "start_within"});
  add_bounds(command, arguments, "0: as the old session");
}

void add_send(CommandLine& line) {
  auto& arguments = line.keep<SendArguments>();
  CLI::App* command =
      line.command(line.app, "send", "Give a session a further prompt",
                   "  steno send nightly 'and the changelog'\n"
                   "  steno send nightly --interrupt --wait 'stop, do this'\n"
                   "  steno send nightly --file shot.png 'why is it red?'\n"
                   "A multi-turn session queues it. To a session of one turn it is\n"
                   "added while that turn runs, and answered with it.",
                   arguments, prompting(send, &SendArguments::prompt, true));
  add_reference(command, arguments);
  add_prompt(command, "PROMPT", arguments.prompt, arguments.place,
             "The prompt; -: read from stdin");
  add_files(command, arguments);
  command->add_flag("--interrupt", arguments.is_interrupting, "End the turn that runs now");
  line.setting(*command, "start_within", "--start-within");
  line.setting(*command, "channel", "--channel");
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
      arguments, prompting(message, &MessageArguments::prompt, true));
  add_prompt(command, "PROMPT", arguments.prompt, arguments.place,
             "The message; -: read from stdin");
  command->add_option("--to", arguments.to, "The session that gets it")->type_name("REF");
  command
      ->add_option("--from", arguments.from,
                   "The session that sends it; default: the one of the variable STENO_SESSION")
      ->type_name("REF");
}

// What is said is changed, and the rest stays.
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

void add_kill(CommandLine& line) {
  auto& arguments = line.keep<KillArguments>();
  CLI::App* command = line.command(line.app, "kill", "End a session at once",
                                   "  steno kill 4fzk2q9x\n"
                                   "  steno kill $(steno ls --name 'deploy-*' --status live -q)\n"
                                   "  steno kill --all",
                                   arguments, reporting(kill));
  CLI::Option* reference = add_references(command, arguments);
  CLI::Option* all = command->add_flag(
      "--all", arguments.is_all,
      "Every live session; with --agent, of that agent. Channels hear nothing of it");
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
      {"commands", "List what a session's agent understands behind a slash",
       "  steno commands nightly\n  steno send nightly /compact", commands},
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
  auto& interrupted = line.keep<SessionsArguments>();
  add_references(line.command(line.app, "interrupt", "End the turn that runs now",
                              "  steno interrupt nightly", interrupted, reporting(interrupt)),
                 interrupted)
      ->required();
  auto& continued = line.keep<SessionsArguments>();
  add_references(
      line.command(line.app, "continue",
                   "Give a session's agent the prompts that wait behind a failed turn",
                   "  steno continue nightly\n  steno continue $(steno ls --status paused -q)",
                   continued, reporting(continue_session)),
      continued)
      ->required();
}

void add_label(CommandLine& line) {
  auto& arguments = line.keep<LabelArguments>();
  CLI::App* command = line.command(
      line.app, "label", "Give a session labels, to find it again by",
      "  steno label nightly urgent release-3\n"
      "  steno label nightly --remove urgent\n"
      "  steno label nightly\n"
      "  steno ls --label release-3\n"
      "A session keeps its labels when it has ended, and who resumes it has them, too.",
      arguments, reporting(label));
  add_reference(command, arguments);
  command->add_option("LABEL", arguments.add, "Words; without any, its labels are printed");
  command->add_option("--remove", arguments.remove, "A label to be taken away; also several")
      ->type_name("LABEL");
}

void add_diff(CommandLine& line) {
  auto& arguments = line.keep<DiffArguments>();
  CLI::App* command = line.command(
      line.app, "diff", "Show what a session has changed in its repository of git",
      "  steno diff nightly\n"
      "  steno diff nightly --stat\n"
      "  steno diff nightly src -o json\n"
      "Commits made since it began, and what is not committed, with new files. What was\n"
      "not committed when it began is shown, too: steno run --worktree keeps that apart.",
      arguments, reporting(diff));
  add_reference(command, arguments);
  command->add_option("PATH", arguments.paths, "Only these, from its folder on; default: all");
  CLI::Option* stat = command->add_flag("--stat", arguments.is_stat, "How many lines of each file");
  command->add_flag("--name-only", arguments.has_names_only, "The names of the files")
      ->excludes(stat);
}

void add_worktree(CommandLine& line) {
  CLI::App* worktree =
      line.app.add_subcommand("worktree", "Working trees of git that sessions have for themselves");
  worktree->require_subcommand(1)->fallthrough();
  auto& listed = line.keep<WorktreeArguments>();
  line.command(*worktree, "ls", "List them, with who works there and what is unsaved",
               "  steno worktree ls\n"
               "Unsaved are files that are not committed, and commits that are on no other\n"
               "branch, on none of a remote, and in no tag. What git ignores does not count.",
               listed, reporting(worktree_list));
  auto& removed = line.keep<WorktreeArguments>();
  CLI::App* remove = line.command(
      *worktree, "rm", "Remove one, with its branch",
      "  steno worktree rm login\n"
      "It stays while a live session works in it, and while something in it is unsaved.",
      removed, reporting(worktree_remove));
  remove->add_option("NAME", removed.name, "As the list says; or its path")->required();
  remove->add_flag("--force", removed.is_forced, "Also what is unsaved");
  auto& pruned = line.keep<WorktreeArguments>();
  CLI::App* prune =
      line.command(*worktree, "prune", "Remove those where nobody works and nothing is unsaved",
                   "  steno worktree prune --dry-run\n"
                   "A session that worked in one cannot be resumed any more.",
                   pruned, reporting(worktree_prune));
  prune->add_flag("--dry-run", pruned.is_tried, "Say which, and remove none");
}

void add_rename(CommandLine& line) {
  auto& arguments = line.keep<RenameArguments>();
  CLI::App* command =
      line.command(line.app, "rename", "Give a session another name",
                   "  steno rename fix-login-page login\n"
                   "  steno rename @self 'release 3'\n"
                   "Its alias stays, and always means it. No two live sessions have one name.",
                   arguments, reporting(rename));
  add_reference(command, arguments);
  command->add_option("NAME", arguments.name, "At most 64 bytes on one line")->required();
}

void add_set(CommandLine& line) {
  auto& arguments = line.keep<ReferenceArguments>();
  CLI::App* command = line.command(
      line.app, "set", "Give a session that lives other settings",
      "  steno set nightly --permission-mode plan\n"
      "  steno set nightly --model opus --run-timeout 3h\n"
      "The agent that runs is told of its permission mode, its model and its thinking. What it\n"
      "cannot be told holds from its next process on, what Steno itself watches from now on.",
      arguments, reporting(set));
  add_reference(command, arguments);
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    if (setting.change == domain::SettingChange::never) continue;
    line.setting(*command, std::string(setting.key), flag_name(setting.key));
  }
}

CLI::App* add_ask_answer(CommandLine& line, const char* name, const char* help,
                         const char* examples, AskAnswerArguments& arguments,
                         Outcome<int> (*run)(const Config&, const AskAnswerArguments&)) {
  CLI::App* command = line.command(line.app, name, help, examples, arguments, reporting(run));
  command
      ->add_option("REF", arguments.reference,
                   "Session that asks: id, alias, name, or the start of one; of several requests "
                   "REF#NUMBER")
      ->required();
  return command;
}

void add_asks(CommandLine& line) {
  auto& listed = line.keep<ApprovalsArguments>();
  CLI::App* list =
      line.command(line.app, "approvals", "List what agents ask for, the oldest first",
                   "  steno approvals\n"
                   "  steno approvals nightly#2\n"
                   "An agent that needs an approval, or has a question, waits until somebody\n"
                   "answers. With REF all of what a session asks is shown.",
                   listed, reporting(approvals));
  list->add_option("REF", listed.reference, "Only of this session, or this request: REF#NUMBER");
  list->add_flag("-A,--all-agents", listed.all_agents, "Of all agents");
  auto& approved = line.keep<AskAnswerArguments>();
  CLI::App* command =
      add_ask_answer(line, "approve", "Approve what an agent asks for",
                     "  steno approve nightly\n"
                     "  steno approve nightly --always\n"
                     "  steno approve nightly#2 --input '{\"command\": \"make test\"}'\n"
                     "steno approvals nightly shows the rule that --always and --session add.",
                     approved, approve);
  command->add_option("--input", approved.input, "What the call gets instead of what it asked for")
      ->type_name("JSON");
  CLI::Option* session = command->add_flag("--session", approved.is_for_session,
                                           "Allow such calls of this session from now on");
  command
      ->add_flag("--always", approved.is_for_always,
                 "Allow such calls of all sessions of the agent from now on")
      ->excludes(session);
  auto& denied = line.keep<AskAnswerArguments>();
  add_ask_answer(line, "deny", "Deny what an agent asks for",
                 "  steno deny nightly\n  steno deny nightly 'use make test instead'", denied, deny)
      ->add_option("WHY", denied.words, "The reason, which the agent is told");
  auto& answered = line.keep<AskAnswerArguments>();
  add_ask_answer(line, "answer", "Answer a question of an agent",
                 "  steno answer nightly 2\n"
                 "  steno answer nightly 'the other one, but without tests'\n"
                 "  steno answer nightly#3 1 1,2\n"
                 "Numbers stand for the choices. Of several questions each has an answer of its "
                 "own.",
                 answered, answer)
      ->add_option("ANSWER", answered.words, "A number, or words")
      ->required();
}

void add_hooks(CommandLine& line) {
  CLI::App* hooks =
      line.app.add_subcommand("hooks", "Programs that are asked about what agents do");
  hooks->require_subcommand(1)->fallthrough();
  auto& listed = line.keep<HookArguments>();
  line.command(*hooks, "ls", "List them, with what came of them since the server began",
               "  steno hooks ls\n  steno hooks ls -o json", listed, reporting(hooks_list));
  auto& logged = line.keep<HookArguments>();
  line.command(*hooks, "log", "Show what hooks were asked about a session, and what came of it",
               "  steno hooks log nightly", logged, reporting(hooks_log))
      ->add_option("REF", logged.reference, "The session")
      ->required();
  auto& tried = line.keep<HookArguments>();
  CLI::App* attempt =
      line.command(*hooks, "try", "Run a hook of the settings here, without effect on any session",
                   "  steno hooks try guard --input '{\"command\": \"rm -rf /\"}'\n"
                   "  steno hooks try screen --prompt 'delete all of it'\n"
                   "  steno hooks try redact --result 'password=hunter2'\n"
                   "  steno hooks try guard --session nightly --at 4711\n"
                   "Exit codes: 0 it lets pass, or changes; 5 it blocks; 1 it fails, also if its "
                   "failure blocks;\n2 it is not asked about this.",
                   tried, reporting(hooks_try));
  attempt->add_option("NAME", tried.name, "The hook's name")->required();
  CLI::Option* input = attempt->add_option("--input", tried.input, "Of a call")->type_name("JSON");
  attempt->add_option("--tool", tried.tool, "Of a call; default: Bash");
  attempt->add_option("--prompt", tried.prompt, "A prompt instead of a call")->excludes(input);
  attempt->add_option("--result", tried.result, "What the call has put out: JSON, or a text");
  attempt->add_option("--on", tried.point, "The point; default: the hook's first one");
  CLI::Option* session = attempt->add_option("--session", tried.reference, "A session's step");
  CLI::Option* at = attempt->add_option("--at", tried.at, "Its position, as steno hooks log says");
  session->type_name("REF")->needs(at);
  at->needs(session);
  auto& served = line.keep<HookServeArguments>();
  CLI::App* serve = line.command(
      *hooks, "serve", "Run a program for each step of the hooks with that subscriber",
      "  steno hooks serve guard -- ./guard.py --strict\n"
      "It reads each step from stdin, and answers as the command of a hook does. A step has one\n"
      "program at a time; start this command again for more.",
      served, reporting(hooks_serve));
  serve->add_option("NAME", served.name, "As subscriber in [[hooks]] names it")->required();
  serve->add_option("PROGRAM", served.program, "With its arguments, behind --")->required();
}

void add_rules(CommandLine& line) {
  CLI::App* rules =
      line.app.add_subcommand("rules", "Answers given beforehand to what agents will ask");
  rules->require_subcommand(1)->fallthrough();
  auto& listed = line.keep<RuleArguments>();
  CLI::App* list =
      line.command(*rules, "ls", "List them", "  steno rules ls\n  steno rules ls -o json", listed,
                   reporting(rules_list));
  list->add_flag("-A,--all-agents", listed.all_agents, "Of all agents");
  auto& added = line.keep<RuleArguments>();
  CLI::App* add = line.command(
      *rules, "add", "Add a rule",
      "  steno rules add --allow 'Bash(make *)'\n"
      "  steno rules add --deny 'Bash(git push *)' --all-agents\n"
      "  steno rules add --ask 'Edit(.github/**)'\n"
      "deny wins over ask, and ask over allow. A command is allowed only if each of its parts is.\n"
      "A rule is a fact, which no erasure reaches.",
      added, reporting(rules_add));
  add->add_option("PATTERN", added.pattern,
                  "A tool, as Bash or mcp__github; with what it does, as Bash(npm run *), "
                  "Edit(src/**), WebFetch(domain:example.org), Bash(/^git (log|diff)/)")
      ->required();
  CLI::App* verdict = add->add_option_group("What")->require_option(1);
  verdict->add_flag("--allow", added.allows, "Such calls are granted at once");
  verdict->add_flag("--deny", added.denies, "They are denied at once");
  verdict->add_flag("--ask", added.asks, "People are asked, whatever allows them");
  CLI::Option* of_session = add->add_option("--session", added.session, "Only of this session");
  of_session->type_name("REF");
  add->add_flag("-A,--all-agents", added.all_agents, "Of all agents")->excludes(of_session);
  auto& imported = line.keep<RuleArguments>();
  CLI::App* import = line.command(
      *rules, "import", "Add the rules of another program's file",
      "  steno rules import .claude/settings.json --dry-run\n"
      "  steno rules import ~/.openclaw/approvals.json --all-agents\n"
      "Of a settings.json of Claude Code permissions.allow, ask and deny are read, of an\n"
      "approvals.json alwaysApprove. What is no rule here is refused by name; if it denies, or\n"
      "has people asked, nothing is added. Rules that are there already are not added again.",
      imported, reporting(rules_import));
  import->add_option("FILE", imported.file, "JSON")->required();
  import->add_flag("-A,--all-agents", imported.all_agents, "For all agents");
  import->add_flag("--dry-run", imported.is_dry, "Say what would be added, and add nothing");
  auto& exported = line.keep<RuleArguments>();
  CLI::App* written = line.command(
      *rules, "export", "Write the rules that allow as an approvals.json",
      "  steno rules export > approvals.json\n"
      "  steno rules export --all-agents --since 30d\n"
      "steno rules import reads it again. What that form cannot say is named, and left out: rules\n"
      "that deny or have people asked, those of one session, and regular expressions.",
      exported, reporting(rules_export));
  written->add_flag("-A,--all-agents", exported.all_agents, "Of all agents");
  written
      ->add_option("--since", exported.since,
                   "With what was decided from then on: an age such as 7d, or a time such as "
                   "2026-11-20; without it history is empty")
      ->type_name("AGE|TIME");
  auto& removed = line.keep<RuleArguments>();
  line.command(*rules, "rm", "Remove one", "  steno rules rm 3", removed, reporting(rules_remove))
      ->add_option("NUMBER", removed.rule, "As the list says")
      ->check(within(1, base::kIntegerLimit - 1))
      ->required();
  auto& tested = line.keep<RuleArguments>();
  CLI::App* test = line.command(
      *rules, "test", "Say what the rules answer to a call, or to the calls on the record",
      "  steno rules test 'make test && git push'\n"
      "  steno rules test --tool Edit --input '{\"file_path\": \"src/a.cpp\"}'\n"
      "  steno rules test --since 7d\n"
      "  steno rules test --since 7d --allow 'Bash(make *)' --deny 'Bash(git push *)'\n"
      "Rules that are given here are tried, beside the stored ones, and not stored.",
      tested, reporting(rules_test));
  CLI::Option* of_bash = test->add_option("COMMAND", tested.command, "Of the tool Bash");
  CLI::Option* input = test->add_option("--input", tested.input, "Its input");
  input->type_name("JSON")->excludes(of_bash);
  test->add_option("--tool", tested.tool, "Another tool")->needs(input);
  CLI::Option* tested_session = test->add_option(
      "--session", tested.session, "As if this session asked; with --since, its calls alone");
  tested_session->type_name("REF");
  CLI::Option* since = test->add_option(
      "--since", tested.since,
      "All calls on the record from then on: an age such as 7d, or a time such as 2026-11-20");
  since->type_name("AGE|TIME")->excludes(of_bash)->excludes(input);
  test->add_flag("-A,--all-agents", tested.all_agents, "Calls of all agents")
      ->needs(since)
      ->excludes(tested_session);
  const auto add_tried = [&](const char* flag, std::vector<std::string>& into, const char* help) {
    test->add_option(flag, into, help)->type_name("PATTERN")->allow_extra_args(false);
  };
  add_tried("--allow", tested.allowed, "Try a rule that allows; can be repeated, as the next two");
  add_tried("--deny", tested.denied, "Try a rule that denies");
  add_tried("--ask", tested.asked, "Try a rule that has people asked");
}

void add_close(CommandLine& line) {
  auto& arguments = line.keep<CloseArguments>();
  CLI::App* command =
      line.command(line.app, "close", "Let a session complete once its prompts are done",
                   "  steno close nightly\n  steno close nightly --now\n"
                   "Prompts that wait are still done, and tasks in the background waited for.",
                   arguments, reporting(close));
  add_references(command, arguments)->required();
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
  CLI::App& backup = add_backup_group(line);
  for (const Kind& kind : kKinds) {
    auto& arguments = line.keep<BackupArguments>();
    CLI::App* command =
        line.command(backup, kind.name, kind.help, kind.examples, arguments, reporting(kind.run));
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

// The number of a notification is a position.
CLI::Validator is_notification() {
  return {[](const std::string& text) {
            const auto number = base::parse_digits(text);
            const bool is_position = number && *number > 0 && *number < base::kIntegerLimit;
            return is_position ? std::string()
                               : "'" + text +
                                     "' is no number of a notification; steno notify ls lists them";
          },
          ""};
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
    command->add_option("NUMBER", arguments.notification, kind.named)->check(is_notification());
    command->add_flag("--all", arguments.is_all, "Each one that was given up");
  }
}

void add_list(CommandLine& line) {
  auto& arguments = line.keep<ListArguments>();
  CLI::App* command = line.command(line.app, "ls", "List sessions, the newest first",
                                   "  steno ls\n"
                                   "  steno ls --status waiting,asks\n"
                                   "  steno ls --since 7d --sort cost -n 10\n"
                                   "  steno ls --name 'deploy-*' -q\n"
                                   "  steno ls --status live --watch",
                                   arguments, reporting(list));
  command
      ->add_option("--status", arguments.statuses, "Only those that are any of: " + status_words())
      ->delimiter(',');
  command->add_option("--since", arguments.since, "Only what was active since, as 7d or 2026-11-20")
      ->type_name("TIME");
  command->add_option("--until", arguments.until, "Only what was started before")
      ->type_name("TIME");
  command->add_option("--name", arguments.name,
                      "Only with this in the name; * and ? match all of it");
  command->add_option("--workdir", arguments.workdir, "Only in this folder, or below")
      ->type_name("PATH");
  command->add_option("--label", arguments.labels, "Only with this label; again: with both")
      ->type_name("LABEL");
  command->add_option("--schedule", arguments.schedule, "Only runs of this schedule")
      ->type_name("NAME");
  command->add_option("--sort", arguments.sort, "By what: " + sort_words())->capture_default_str();
  command->add_flag("-q,--quiet", arguments.is_quiet, "Print the aliases alone, one a line");
  command->add_flag("--utc", arguments.has_utc, "Times of UTC, also at a terminal");
  command->add_flag("-w,--watch", arguments.is_watched,
                    "On a terminal: draw it anew as sessions change, until Ctrl-C");
  command->add_flag("-A,--all-agents", arguments.all_agents, "Of all agents");
  CLI::Option* count = command
                           ->add_option("-n,--limit", arguments.count,
                                        "At most this many, 1 to 1000000; default: 50, with -q all")
                           ->check(within(1, 1'000'000))
                           ->type_name("COUNT");
  command->add_flag("-a,--all", arguments.is_all, "All sessions, back to the first")
      ->excludes(count);
  command->add_flag("--tree", arguments.is_tree, "Subagents below their parents");
}

void add_wait(CommandLine& line) {
  auto& arguments = line.keep<WaitArguments>();
  CLI::App* command = line.command(
      line.app, "wait", "Wait until sessions have ended, or wait for a prompt",
      "  steno wait nightly\n"
      "  steno wait $(steno ls --name 'deploy-*' --status live -q) --within 2h\n"
      "Each is told as it comes to rest. What an agent asks is told, too: it waits for an answer.\n"
      "In JSON each has its cost, its denied calls, and as answer what its agent said last.\n"
      "Exit codes: 0 all is well; 1 one has failed or was killed, or its prompts wait behind a\n"
      "failed turn; 7 --within has passed.",
      arguments, reporting(wait));
  command
      ->add_option("REF", arguments.references,
                   "Sessions: id, alias, name, the start of one, or a conversation")
      ->required();
  command->add_option("--within", arguments.within, "The longest time to wait, as 30m or 2h")
      ->type_name("DURATION");
}

CLI::Option* add_output_since(CLI::App* command, OutputArguments& arguments) {
  return command
      ->add_option("--since", arguments.since,
                   "Only what was said from then on: an age such as 10m, or a time such as "
                   "2026-11-20T12:00")
      ->type_name("AGE|TIME");
}

// With --since the default does not count.
void note_count(CLI::App* command, const CLI::Option* count, OutputArguments& arguments) {
  command->parse_complete_callback(
      [count, &arguments] { arguments.is_counted = count->count() > 0; });
}

void add_logs(CommandLine& line) {
  auto& arguments = line.keep<OutputArguments>();
  arguments.is_followed = true;
  arguments.count = 20;
  CLI::App* command = line.command(
      line.app, "logs", "Print what a session's agent said last, and go on as it says more",
      "  steno logs nightly\n  steno logs nightly --tail 100\n"
      "The same as steno output --follow. Ctrl-C ends the printing; the session goes on.",
      arguments, reporting(output));
  add_reference(command, arguments);
  CLI::Option* count = command
                           ->add_option("-n,--tail", arguments.count,
                                        "Begin with so many blocks of what the agent said")
                           ->check(within(1, 1'000'000))
                           ->type_name("COUNT")
                           ->capture_default_str();
  note_count(command, count, arguments);
  add_output_since(command, arguments);
  command->add_flag("-f,--follow", arguments.is_followed,
                    "As without it; steno output prints what is there, and ends");
}

void add_attention(CommandLine& line) {
  auto& arguments = line.keep<AttentionArguments>();
  CLI::App* command = line.command(
      line.app, "attention", "List the sessions that need a person, the longest waiting first",
      "  steno attention\n  steno attention --dismiss nightly\n"
      "  steno attention --all-agents -o jsonl\n"
      "Their agents ask, they wait for input, are stuck or over budget, or have failed. One that "
      "is dismissed is "
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
  command->add_flag("-A,--all-agents", arguments.all_agents, "Of all agents")->excludes(dismiss);
}

void add_top(CommandLine& line) {
  auto& arguments = line.keep<TopArguments>();
  CLI::App* command = line.command(
      line.app, "top", "Show the sessions on a screen that keeps itself current",
      "  steno top\n"
      "  steno top --all-agents\n"
      "Those that need you come first, then those that work, then those that wait. Keys choose\n"
      "one, show its output, approve or deny what it asks, send it a prompt, interrupt or kill\n"
      "it; ? lists them. Needs a terminal; steno ls --status live prints the same once.",
      arguments, reporting(top));
  command->add_flag("-A,--all-agents", arguments.all_agents, "Of all agents");
}

void add_import(CommandLine& line) {
  auto& arguments = line.keep<ImportArguments>();
  CLI::App* command = line.command(
      line.app, "import", "Make ended sessions of transcripts that others wrote",
      "  steno import --claude\n  steno import --claude ~/old-home/.claude/projects\n"
      "  steno import --claude -o jsonl | jq -c 'select(.reading)'\n"
      "  steno import --documents ~/.openclaw\n"
      "They are found by search, read by output, and resumed as others are. What was imported\n"
      "before is not imported again; of a transcript that has grown, what is new is added. The\n"
      "files are only read. Lines that are not understood are named, and kept as they are.",
      arguments, reporting(import_transcripts));
  CLI::Option* claude = command->add_flag("--claude", arguments.is_claude, "Those of Claude Code");
  command
      ->add_flag("--documents", arguments.is_document,
                 "Those of a folder with agents/ID/sessions, and its sessions.json")
      ->excludes(claude);
  command->add_option("FOLDER", arguments.folder,
                      "Claude Code's folder of projects, or one transcript; default: "
                      "~/.claude/projects. With --documents: the folder above agents/");
  command->add_flag("--dry-run", arguments.is_dry, "Only say what would be imported");
}

void add_export(CommandLine& line) {
  auto& arguments = line.keep<ExportArguments>();
  CLI::App* command = line.command(
      line.app, "export", "Write a session as a transcript that other programs read",
      "  steno export nightly > nightly.jsonl\n"
      "  steno export nightly --install && claude --resume\n"
      "  steno export 4fzk --as messages-jsonl --to 4fzk.jsonl\n"
      "It begins with what the sessions said that it goes on with. Lines that were imported come\n"
      "back as they were. What a transcript cannot hold is counted on stderr.",
      arguments, reporting(export_session));
  add_reference(command, arguments);
  command
      ->add_option("--as", arguments.form,
                   "claude-jsonl: as Claude Code keeps it; messages-jsonl: lines of "
                   "{type, message: {role, content}}")
      ->type_name("FORM")
      ->capture_default_str();
  CLI::Option* to = command->add_option("--to", arguments.to, "A file that does not exist yet");
  to->type_name("FILE");
  command
      ->add_flag("--install", arguments.is_installed,
                 "Put it where Claude Code finds it; a transcript that is there is left as it is")
      ->excludes(to);
}

void add_files_command(CommandLine& line) {
  auto& arguments = line.keep<FilesArguments>();
  CLI::App* command = line.command(
      line.app, "files", "Keep a folder of conversations as files, for tools that read files",
      "  steno files ~/conversations\n  steno files ~/conversations --follow\n"
      "It has agents/ID/sessions/sessions.json, and a transcript for each session. The log is the\n"
      "truth: what is changed in the folder is written anew.",
      arguments, reporting(keep_files));
  command->add_option("FOLDER", arguments.folder, "One of its own")->required();
  command->add_flag("--follow,-f", arguments.is_followed, "Write on as things are said");
}

void add_transcript(CommandLine& line) {
  auto& arguments = line.keep<TranscriptArguments>();
  CLI::App* command = line.command(
      line.app, "transcript", "Read what was said in a session or a conversation, page by page",
      "  steno transcript nightly\n  steno transcript main --role user --role assistant\n"
      "  steno transcript nightly --before 1234 -n 20\n"
      "  steno transcript agent:main:telegram:group:42 --first -o jsonl\n"
      "REF can be a session key: then it is what its sessions said, one after the other. With "
      "tool\n"
      "calls, and what each turn used and cost. Pages are told by positions, which never change.",
      arguments, reporting(transcript));
  command
      ->add_option("REF", arguments.reference,
                   "Session: id, alias, name, or the start of one; or a session key")
      ->required();
  command->add_option("-n,--limit", arguments.count, "At most this many items, 1 to 1000")
      ->check(within(1, 1000))
      ->type_name("COUNT")
      ->capture_default_str();
  CLI::Option* before =
      command->add_option("--before", arguments.before, "The last ones before this position")
          ->check(within(1, base::kIntegerLimit - 1))
          ->type_name("POSITION");
  CLI::Option* after =
      command->add_option("--after", arguments.after, "The first ones behind this position")
          ->check(within(1, base::kIntegerLimit - 1))
          ->type_name("POSITION")
          ->excludes(before);
  command->add_flag("--first", arguments.is_first, "From the beginning; else the last ones")
      ->excludes(before)
      ->excludes(after);
  command
      ->add_option("--role", arguments.roles,
                   "Only what was said by user, assistant or tool; can be repeated")
      ->allow_extra_args(false)
      ->type_name("ROLE");
}

void add_output(CommandLine& line) {
  auto& arguments = line.keep<OutputArguments>();
  CLI::App* command = line.command(
      line.app, "output", "Print what a session's agent said",
      "  steno output nightly\n  steno output nightly --follow\n"
      "  steno output nightly --last --kind said\n"
      "  steno output nightly --turn 3\n"
      "  steno output nightly --since 10m --turns | less\n"
      "  steno output 4fzk --all -o jsonl\n"
      "  steno output 4fzk --kind said --kind failure\n"
      "On a terminal each turn has a heading with its number, and a line with its time and cost\n"
      "where it ends. Elsewhere --turns adds them; in JSON, the ends as items of the kind ended.",
      arguments, reporting(output));
  add_reference(command, arguments);
  CLI::Option* count =
      command
          ->add_option("-n,--tail", arguments.count,
                       "The last blocks that the agent said, and everything between them")
          ->check(within(1, 100'000))
          ->type_name("COUNT")
          ->capture_default_str();
  CLI::Option* all =
      command->add_flag("--all", arguments.is_all, "From the beginning")->excludes(count);
  CLI::Option* turn =
      command
          ->add_option("--turn", arguments.turn,
                       "Only this turn, as they are counted from 1; -1 is the last one")
          ->check(CLI::Validator(
              [](const std::string& value) {
                return value == "0" ? std::string("turns are counted from 1, or from -1 backwards")
                                    : std::string();
              },
              ""))
          ->type_name("NUMBER")
          ->excludes(count)
          ->excludes(all);
  CLI::Option* last = command->add_flag("--last", arguments.is_last, "Only the last turn")
                          ->excludes(count)
                          ->excludes(all)
                          ->excludes(turn);
  note_count(command, count, arguments);
  add_output_since(command, arguments)->excludes(all)->excludes(turn)->excludes(last);
  command->add_flag("--turns", arguments.has_turns,
                    "Show where turns begin and end also where this is no terminal");
  command
      ->add_option(
          "--kind", arguments.kinds,
          "Only items of this kind: prompt, said, thought, tool_call, tool_result, failure, "
          "or subagent for all that a subagent of the agent said and did; can be repeated")
      ->allow_extra_args(false)
      ->type_name("KIND");
  command->add_flag("--follow,-f", arguments.is_followed, "Go on until the session ends")
      ->excludes(turn);
}

void add_search(CommandLine& line) {
  auto& arguments = line.keep<SearchArguments>();
  CLI::App* command = line.command(
      line.app, "search", "Find what was said in all sessions",
      "  steno search login timeout\n"
      "  steno search '\"fix the login\" -test' --since 7d --role user\n"
      "  steno search 'time* OR delay' --session nightly --sort newest\n"
      "  steno search -o jsonl 'src/main.cpp' | jq -r .alias\n"
      "Words: all must be in one text, in any order, in capitals or not, with accents or not.\n"
      "\"two words\" must follow each other, and so must the parts of main.cpp or --since.\n"
      "word* begins so; OR is between alternatives; -word must not be there.\n"
      "The shell takes quotes away, so put the whole query into single ones. A query that begins\n"
      "with a dash comes after --. Of each text the first 64 KiB are searched.",
      arguments, reporting(search));
  command->add_option("WORDS", arguments.words, "What for")->required();
  command
      ->add_option("--since", arguments.since,
                   "Only what was said from then on: an age such as 7d, or a time such as "
                   "2026-11-20")
      ->type_name("AGE|TIME");
  CLI::Option* session =
      command->add_option("--session", arguments.session, "Only what was said in this session");
  session->type_name("REF");
  command->add_flag("-A,--all-agents", arguments.all_agents, "In the sessions of all agents")
      ->excludes(session);
  command
      ->add_option("--role", arguments.roles,
                   "Only what was said by user, assistant or tool; can be repeated")
      ->allow_extra_args(false)
      ->type_name("ROLE");
  command->add_option("--sort", arguments.sort, "best: what fits best comes first; or newest")
      ->type_name("ORDER")
      ->capture_default_str();
  command->add_option("-n,--limit", arguments.count, "At most this many, 1 to 1000")
      ->check(within(1, 1000))
      ->type_name("COUNT")
      ->capture_default_str();
}

void add_attach(CommandLine& line) {
  auto& arguments = line.keep<ReferenceArguments>();
  CLI::App* command =
      line.command(line.app, "attach", "See a session as it works, and type into it",
                   "  steno attach nightly\n  steno attach\n"
                   "What is typed is a prompt, or the answer to what the agent asks. Ctrl-D or "
                   "Ctrl-\\ leaves,\nand the session goes on. Ctrl-C pressed twice interrupts the "
                   "turn. Others can be attached, too.",
                   arguments, reporting(attach));
  command->add_option("REF", arguments.reference,
                      "Session: id, alias, name, the start of one, or a conversation; default: the "
                      "only one that lives");
}

void add_stats(CommandLine& line) {
  auto& arguments = line.keep<StatsArguments>();
  CLI::App* command = line.command(
      line.app, "stats", "Show totals over all sessions",
      "  steno stats\n  steno stats --all-agents -o json\n"
      "  steno stats --since 7d\n"
      "  steno stats --since 2026-11-01 --until 2026-12-01\n"
      "  steno stats -o prometheus > /var/lib/node_exporter/steno.prom\n"
      "With --since or --until the same is counted of that time alone: what was opened\n"
      "then, what ended then, and what was spent then. It reads the facts of the\n"
      "agent's events in the window, and no texts.",
      arguments, reporting(stats));
  command->add_flag("-A,--all-agents", arguments.all_agents, "Of all agents");
  command
      ->add_option("--since", arguments.since,
                   "Only what was recorded from then on: an age such as 7d, or a time such as "
                   "2026-11-20")
      ->type_name("AGE|TIME");
  command->add_option("--until", arguments.until, "Only what was recorded before, likewise")
      ->type_name("AGE|TIME");
}

void add_watch(CommandLine& line) {
  auto& arguments = line.keep<WatchArguments>();
  CLI::App* command = line.command(line.app, "watch", "Print events as they are recorded",
                                   "  steno watch\n  steno watch nightly --from start\n"
                                   "  steno watch --since 10m\n"
                                   "  steno watch --all-agents --from 1200 -o jsonl\n"
                                   "  steno watch --attention",
                                   arguments, reporting(watch));
  command->add_option("REF", arguments.reference, "Only this session; default: all of the agent");
  CLI::Option* from =
      command->add_option("--from", arguments.from, "A position, start or now (default)");
  CLI::Option* since =
      command
          ->add_option("--since", arguments.since,
                       "From then on: an age such as 10m, or a time such as 2026-11-20T12:00")
          ->type_name("AGE|TIME")
          ->excludes(from);
  command
      ->add_flag("--attention", arguments.is_about_attention,
                 "Instead of events, each session that needs a person, and each that comes to "
                 "need one; on a terminal with a bell")
      ->excludes(from)
      ->excludes(since);
  command->add_flag("-A,--all-agents", arguments.all_agents, "Events of all agents and the server");
  command->add_flag("--no-texts", arguments.leaves_out,
                    "Do not fetch texts that are too long for the feed");
  command->add_option("-n", arguments.count, "Stop after this many; 0: never")
      ->check(within(0, base::kIntegerLimit - 1))
      ->type_name("COUNT")
      ->capture_default_str();
}

void add_chat(CommandLine& line) {
  auto& arguments = line.keep<ChatArguments>();
  std::string examples =
      "  steno chat '/claude --name docs write the manual'\n"
      "  steno chat --sender 'telegram|1234' '/claude_sessions running'\n"
      "Commands:";
  for (const std::string& usage : workers::chat_usages(workers::operations())) {
    examples += "\n  " + usage;
  }
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

// Adds a subcommand that is about one conversation.
CLI::App* add_of_conversation(CommandLine& line, CLI::App& parent, const char* name,
                              const char* help, const char* examples,
                              Outcome<int> (*run)(const Config&, const ConversationArguments&)) {
  auto& arguments = line.keep<ConversationArguments>();
  CLI::App* command = line.command(parent, name, help, examples, arguments, reporting(run));
  command->add_option("KEY", arguments.key, "Its session key, or main")->required();
  return command;
}

void add_conversations(CommandLine& line) {
  CLI::App* conversations =
      line.app.add_subcommand("conv", "Places where people and programs keep talking to an agent");
  conversations->require_subcommand(1)->fallthrough();
  auto& listed = line.keep<ConversationArguments>();
  CLI::App* list = line.command(*conversations, "ls", "List them, those that changed last first",
                                "  steno conv ls\n  steno conv ls --kind group --since 1h\n"
                                "  steno conv ls telegram --all-agents -o json",
                                listed, reporting(conversation_list));
  list->add_option("WORDS", listed.words, "Only those with this in a name, a label or the key");
  list->add_flag("-A,--all-agents", listed.all_agents, "Of all agents");
  list->add_option("--kind", listed.kinds,
                   "Only these: main, group, cron, hook, node, other; can be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"main", "group", "cron", "hook", "node", "other"}));
  list->add_option("--label", listed.label, "Only those with this label");
  list->add_option("--since", listed.since, "Only those that changed since then: 2h, 2026-11-20")
      ->type_name("AGE|TIME");
  list->add_option("-n,--limit", listed.limit, "So many at most")->check(within(1, 1'000));
  auto& sent = line.keep<ConversationArguments>();
  CLI::App* send = line.command(
      *conversations, "send", "Send a message; the first one begins the conversation",
      "  steno conv send main 'What is new?'\n"
      "  steno conv send main 'What is new?' --wait\n"
      "  steno conv send main 'Why is it red?' --file shot.png\n"
      "  steno conv send telegram:group:42 'Hello' --channel 'telegram|42' --from ada --id 9\n"
      "  steno conv send main /new\n"
      "Texts that the conversation understands: /new, /reset and /clear begin a new session,\n"
      "/stop ends what runs, /queue collect debounce:2s cap:25 says how messages wait, and\n"
      "/send off sends nothing to its place.",
      sent, prompting(conversation_send, &ConversationArguments::text, true));
  send->add_option("KEY", sent.key, "Its session key, or main")->required();
  add_prompt(send, "TEXT", sent.text, sent.place,
             "The message; - reads it from stdin; needed without a file");
  add_files(send, sent);
  send->add_option("--from", sent.sender, "Who writes, as the channel knows them");
  send->add_option("--id", sent.id,
                   "The channel's id of the message; one that comes twice counts once");
  send->add_option("--thread", sent.thread, "The thread of the channel where it was written");
  send->add_flag("--plain", sent.is_plain, "Commands such as /new are words like any other");
  send->add_flag("--wait", sent.waits, "Print what the agent says in answer");
  line.setting(*send, "start_within", "--start-within");
  line.setting(*send, "channel", "--channel");
  auto& task = line.keep<TaskToGive>();
  CLI::App* spawn = line.command(
      *conversations, "spawn", "Give a subagent a task; a message tells how it ended",
      "  steno conv spawn 'Find out why the build is slow'\n"
      "  steno conv spawn 'Read the logs of today' --parent telegram:group:42 --label logs",
      task, prompting(conversation_spawn, &TaskToGive::task, true));
  add_prompt(spawn, "TASK", task.task, task.place, "What it is to do; - reads it from stdin");
  spawn->add_option("--parent", task.parent,
                    "Session key of the conversation that hears how it ended; default: main");
  spawn->add_option("--label", task.label, "A name that no other conversation of the agent has");
  spawn->add_option("--for-agent", task.agent, "Whose subagent it is; default: the parent's");
  spawn->add_option("--with-model", task.model, "The model that works on it");
  spawn
      ->add_option("--within", task.timeout,
                   "So many seconds it can take, 600 unless it is said; 0: any time")
      ->check(within(0, workers::kTaskTimeMax));
  spawn->add_flag_callback(
      "--delete", [&task] { task.cleanup = domain::RunCleanup::remove; },
      "Delete its conversation once the parent has heard; its session stays on the record");
  add_of_conversation(line, *conversations, "show", "Show one", "  steno conv show main",
                      conversation_show);
  auto& changed = line.keep<ConversationArguments>();
  CLI::App* set = line.command(*conversations, "set", "Change its settings",
                               "  steno conv set main label=home modelOverride=claude-opus-4-5\n"
                               "  steno conv set main queueMode=followup queueCap=\n"
                               "A setting without a value is cleared.",
                               changed, reporting(conversation_set));
  std::string settings = "The settings:";
  for (const domain::EntryField& field : domain::entry_fields()) {
    settings += "\n  " + std::string(field.name) + ": " + std::string(field.help);
  }
  set->footer(set->get_footer() + "\n" + settings);
  set->add_option("KEY", changed.key, "Its session key, or main")->required();
  set->add_option("SETTING", changed.settings, "NAME=VALUE")->required();
  add_of_conversation(line, *conversations, "reset", "Begin a new session with the next message",
                      "  steno conv reset main", conversation_reset);
  add_of_conversation(line, *conversations, "undo", "Go back to the session before the last reset",
                      "  steno conv undo main", conversation_undo);
  add_of_conversation(line, *conversations, "stop",
                      "Interrupt what runs, and give the agent nothing of what waits",
                      "  steno conv stop main", conversation_stop);
  add_of_conversation(line, *conversations, "compact",
                      "Have its agent make its context smaller, in a turn of its own",
                      "  steno conv compact main", conversation_compact);
  auto& asked = line.keep<ConversationArguments>();
  CLI::App* policy = line.command(*conversations, "policy",
                                  "Say what holds for it: sending, waiting, resets, and why",
                                  "  steno conv policy main\n  steno conv policy telegram:group:42",
                                  asked, reporting(conversation_policy));
  policy->add_option("KEY", asked.key, "Its session key, or main")->required();
  add_of_conversation(line, *conversations, "rm", "Delete one; its sessions stay on the record",
                      "  steno conv rm telegram:group:42", conversation_delete);
  auto& pruned = line.keep<ConversationArguments>();
  CLI::App* prune =
      line.command(*conversations, "prune", "Delete those that nobody has used for long",
                   "  steno conv prune --unused 90d --dry-run\n"
                   "  steno conv prune --unused 30d --kind other\n"
                   "Main conversations are kept, and those with work. Sessions stay on the record.",
                   pruned, reporting(conversation_prune));
  prune->add_option("WORDS", pruned.words, "Only those with this in a name, a label or the key");
  prune->add_option("--unused", pruned.since, "Not changed for so long, as 30d, or since a time")
      ->required()
      ->type_name("AGE|TIME");
  prune
      ->add_option("--kind", pruned.kinds,
                   "Only these: group, cron, hook, node, other; can be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"group", "cron", "hook", "node", "other"}));
  prune->add_option("--label", pruned.label, "Only those with this label");
  prune->add_flag("-A,--all-agents", pruned.all_agents, "Of all agents");
  prune->add_flag("--dry-run", pruned.is_tried, "Say which, and delete none");
}

constexpr void (*kCommands[])(CommandLine&) = {
    add_run,           add_spawn,    add_list,
    add_kill,          add_asks,     add_rules,
    add_hooks,         add_close,    add_session_commands,
    add_output,        add_search,   add_attach,
    add_import,        add_export,   add_transcript,
    add_files_command, add_set,      add_label,
    add_rename,        add_diff,     add_worktree,
    add_top,           add_send,     add_resume,
    add_erase,         add_backup,   add_anchor,
    add_archive,       add_stats,    add_watch,
    add_config,        add_version,  add_attention,
    add_notify,        add_message,  add_wait,
    add_logs,          add_schedule, add_chat,
    add_mcp,           add_gateway,  add_conversations,
    add_complete,
};

}  // namespace

void add_client_commands(CommandLine& line) {
  for (const auto add : kCommands) add(line);
  add_server_commands(line);
}

}  // namespace steno
