// Declares the commands on sessions that are there.
#include "eventlog/base/digits.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/command_line/session_flags.hpp"

namespace steno {
namespace {

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

void add_simple_commands(CommandLine& line) {
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
  command->add_option("--remove", arguments.remove, "A label to be taken away; can be repeated")
      ->allow_extra_args(false)
      ->type_name("LABEL");
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

}  // namespace

void add_session_commands(CommandLine& line) {
  add_kill(line);
  add_simple_commands(line);
  add_close(line);
  add_set(line);
  add_label(line);
  add_rename(line);
  add_diff(line);
  add_worktree(line);
  add_erase(line);
  add_wait(line);
  add_attach(line);
}

}  // namespace steno
