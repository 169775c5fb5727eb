// Declares the commands that begin sessions and give them prompts.
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/command_line/prompt_flags.hpp"
#include "tools/steno/command_line/session_flags.hpp"
#include "workers/operations/opening.hpp"

namespace steno {
namespace {

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

}  // namespace

void add_opening_commands(CommandLine& line) {
  add_run(line);
  add_spawn(line);
  add_resume(line);
  add_send(line);
  add_message(line);
}

}  // namespace steno
